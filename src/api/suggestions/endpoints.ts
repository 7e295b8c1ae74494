/** Endpoints of suggestions from the pages of sites: members send theirs, and reviewers accept or reject those of guests. */
import { Type } from '@sinclair/typebox'
import { acceptSuggestion, listWaiting, openDraft, rejectSuggestion, sendDraft } from '../../domain/suggestions/send.js'
import { paginate } from '../../kernel/paging.js'
import {
  listOf,
  pageQuery,
  SiteSuggestion,
  SuggestionDraft,
  SuggestionSecret,
  SuggestionSent,
} from '../../model/index.js'
import { endpoint } from '../service.js'
import { presentDraft, presentSent, presentSuggestion } from './present.js'

const section = 'Sites'
const path = '/v1/orgs/{organizationId}/sites/{siteId}/suggestions'

export const listSiteSuggestions = endpoint({
  method: 'GET',
  path,
  summary: 'List the suggestions of readers that wait for a reviewer',
  description: 'Oldest first. Suggestions for spaces that you may not review are omitted. They expire after 90 days.',
  section,
  needs: 'site:review',
  query: Type.Object(pageQuery),
  returns: listOf(SiteSuggestion, { $id: 'SiteSuggestionList' }),
  handle: async ({ app, actor, site, query }) => {
    const page = paginate(await listWaiting(app, actor, site), query, ({ createdAt, id }) => [createdAt, id])
    return { ...page, items: page.items.map(presentSuggestion) }
  },
})

export const acceptSiteSuggestion = endpoint({
  method: 'POST',
  path: `${path}/{suggestionId}/accept`,
  summary: 'Accept a suggestion of a reader',
  description:
    'Creates an open change request in your name. Its commit changes only the suggested block, and its author is the reader, with the name that they entered and the address that they confirmed. ' +
    'Returns 409 if the block has changed since.',
  section,
  needs: 'site:review',
  returns: SuggestionSent,
  fails: [409, 423],
  handle: async ({ app, actor, suggestion }) => presentSent(await acceptSuggestion(app, actor, suggestion)),
})

export const rejectSiteSuggestion = endpoint({
  method: 'DELETE',
  path: `${path}/{suggestionId}`,
  summary: 'Reject a suggestion of a reader',
  description: 'The suggestion is deleted, with the name and the address of its author. They are not notified.',
  section,
  needs: 'site:review',
  deletes: 'leaf',
  handle: ({ app, suggestion }) => rejectSuggestion(app, suggestion.suggestion),
})

export const openSuggestion = endpoint({
  method: 'POST',
  path: '/v1/suggestions/open',
  summary: 'Get a suggestion that you started on a published page',
  description:
    '`token` is the part after the # of the address at which the page of the site opened the app. Works for an hour.',
  section,
  needs: 'authenticated',
  audited: false,
  body: SuggestionSecret,
  returns: SuggestionDraft,
  fails: [404],
  handle: async ({ app, actor, body }) => presentDraft(await openDraft(app, actor, body.token)),
})

export const sendSuggestion = endpoint({
  method: 'POST',
  path: '/v1/suggestions/send',
  summary: 'Send a suggestion that you started on a published page',
  description:
    'Creates an open change request in your name that changes only the suggested block. If you may not edit the space, the suggestion waits for a reviewer, and the response has no `changeRequest`. ' +
    'Returns 409 if the block has changed since.',
  section,
  needs: 'authenticated',
  body: SuggestionSecret,
  returns: SuggestionSent,
  fails: [403, 404, 409, 423],
  handle: async ({ app, actor, body }) => presentSent(await sendDraft(app, actor, body.token)),
})
