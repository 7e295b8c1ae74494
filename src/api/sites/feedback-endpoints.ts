/** Lists the feedback of readers on the pages of a site. */
import { Type } from '@sinclair/typebox'
import { listFeedback } from '../../domain/sites/feedback.js'
import { listOf, pageQuery, SiteFeedback } from '../../model/index.js'
import { endpoint } from '../service.js'
import { presentFeedback } from './present-site-documents.js'

export const listSiteFeedback = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/sites/{siteId}/feedback',
  summary: 'List the feedback from readers of a site',
  description:
    'Newest first. Readers can rate pages if the customization enables `feedback`, and can add a comment. Feedback contains no data about the reader, and ' +
    'only the latest 2,000 entries of a site are kept. Feedback about spaces that you cannot see is omitted.',
  section: 'Sites',
  needs: 'site:view',
  query: Type.Object(pageQuery),
  returns: listOf(SiteFeedback, { $id: 'SiteFeedbackList' }),
  handle: async ({ app, actor, site, query }) => {
    const page = await listFeedback(app, actor, site, query)
    return { ...page, items: page.items.map(presentFeedback) }
  },
})
