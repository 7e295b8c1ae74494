/** Endpoints of pull request previews. */
import { Type } from '@sinclair/typebox'
import { listPreviews } from '../../domain/pull-previews/list.js'
import { paginate } from '../../kernel/paging.js'
import { listOf, pageQuery, PullRequestPreview } from '../../model/index.js'
import { endpoint } from '../service.js'
import { presentPreview } from './present.js'

const section = 'Connections'

export const listPullRequestPreviews = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/git/connections/{connectionId}/pull-requests',
  summary: 'List the previews of pull requests, newest pull request first',
  description:
    'If `pullRequests.preview` of the connection is set, each of the 100 newest open pull requests against its branch has a preview: a revision of the ' +
    "space with the pull request's head, and the problems that it adds. The preview is updated when the head moves, and removed when the pull request is " +
    'closed.',
  section,
  needs: 'space:view',
  query: Type.Object(pageQuery),
  returns: listOf(PullRequestPreview, { $id: 'PullRequestPreviewList' }),
  handle: async ({ app, connection, query }) => {
    const page = paginate(await listPreviews(app, connection), query, (one) => [one.number, one.id], 'desc')
    return { ...page, items: page.items.map((doc) => presentPreview(app, doc)) }
  },
})

export const getPullRequestPreview = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/git/connections/{connectionId}/pull-requests/{pullRequestNumber}',
  summary: 'Get the preview of a pull request',
  section,
  needs: 'space:view',
  returns: PullRequestPreview,
  handle: async ({ app, pullRequest }) => presentPreview(app, pullRequest),
})
