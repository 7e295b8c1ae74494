/** Endpoints for reviewers of a change request: changes, viewed pages, contributors, and its revert after a merge. */
import { Type } from '@sinclair/typebox'
import { changesBetween } from '../../domain/revisions/changes/changes.js'
import { pageChangesBetween } from '../../domain/revisions/changes/page-changes.js'
import { contributorsOf } from '../../domain/change-requests/contributors.js'
import { spanOf } from '../../domain/change-requests/span.js'
import { revertChangeRequest } from '../../domain/change-requests/revert.js'
import { listViewed, markViewed, unmarkViewed } from '../../domain/reviews/viewed.js'
import { paginate } from '../../kernel/paging.js'
import {
  ChangeRequest,
  Changes,
  ChangesQuery,
  ContributorList,
  MarkViewed,
  MAX_VIEWED_PAGES,
  PageChanges,
  pageQuery,
  ViewedPage,
  ViewedPages,
} from '../../model/index.js'
import { created } from '../reply.js'
import { presentAuthors } from '../revisions/present.js'
import { presentMergedFrom } from '../revisions/present-facts.js'
import { endpoint } from '../service.js'
import { presentChangeRequest } from './present.js'

const section = 'Change requests'

export const getChangesOfChangeRequestById = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/changes',
  summary: 'Get the changes of a change request',
  description:
    'Compares the point where the branch left main with its head. For a merged change request, returns the changes that the merge made. Pages are compared ' +
    'by ID, in the order of the table of contents; all other files of the repository are listed as files. `diff` adds the text differences of each edited ' +
    'page.',
  section,
  needs: 'space:view',
  query: ChangesQuery,
  returns: Changes,
  handle: async ({ app, space, changeRequest, query }) => {
    const span = await spanOf(app, space, changeRequest)
    const changes = await changesBetween(app, space, span, query)
    return {
      ...changes,
      ...(span.merge ? await presentMergedFrom(app, space, await space.repo.objects.commit(span.merge)) : {}),
    }
  },
})

export const getPageChangesOfChangeRequest = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/changes/page/{pageId}',
  summary: 'Get the changes of a page in a change request, block by block',
  description:
    'Compares the same revisions as `GET …/changes`. Each block is HTML that shows both versions, with the changed words marked. Reusable content and ' +
    'variables are shown as written.',
  section,
  needs: 'space:view',
  returns: PageChanges,
  handle: async ({ app, space, changeRequest, pageId }) =>
    pageChangesBetween(
      app,
      space,
      await spanOf(app, space, changeRequest),
      pageId,
      (page) => `/s/${space.doc.id}/c/${changeRequest.doc.number}/p/${page.id}`,
    ),
})

const viewed = '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/viewed' as const

export const listViewedPages = endpoint({
  method: 'GET',
  path: viewed,
  summary: 'List the pages of a change request that you have viewed',
  description: 'Only you see your marks. A page that has changed since is listed with `current: false`.',
  section,
  needs: 'space:view',
  returns: ViewedPages,
  handle: async (place) => ({ pages: await listViewed(place) }),
})

export const markPageViewed = endpoint({
  method: 'PUT',
  path: `${viewed}/{pageId}`,
  summary: 'Mark a page of a change request as viewed',
  description: `The mark is valid until the page changes again. At most ${MAX_VIEWED_PAGES} pages are kept for each change request; the oldest mark is removed first.`,
  section,
  needs: 'space:view',
  audited: false,
  body: MarkViewed,
  returns: ViewedPage,
  fails: [409],
  handle: async ({ body, pageId, ...place }) => ({
    object: 'viewed-page' as const,
    ...(await markViewed(place, pageId, body.version)),
  }),
})

export const unmarkPageViewed = endpoint({
  method: 'DELETE',
  path: `${viewed}/{pageId}`,
  summary: 'Mark a page of a change request as not viewed',
  section,
  needs: 'space:view',
  audited: false,
  handle: ({ pageId, ...place }) => unmarkViewed(place, pageId),
})

export const getContributorsByChangeRequestId = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/contributors',
  summary: 'List the contributors to a change request',
  description:
    'Lists the authors of the commits on the branch: members of the organization, or the name and email address that Git recorded.',
  section,
  needs: 'space:view',
  query: Type.Object(pageQuery),
  returns: ContributorList,
  handle: async ({ app, space, changeRequest, query }) => {
    const page = paginate(await contributorsOf(app, space, changeRequest), query, ({ name, email }) => [name, email])
    return { ...page, items: await presentAuthors(app, space, page.items) }
  },
})

export const revertChangeRequestById = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/revert',
  summary: 'Open a change request that undoes a merged one',
  description:
    'Its branch reverts the changes of the merge and nothing else. If later changes conflict with that, nothing is created and 409 returns the paths.',
  section,
  needs: 'space:edit',
  status: 201,
  returns: ChangeRequest,
  fails: [409, 423],
  handle: async ({ app, actor, space, changeRequest }) => {
    const made = await revertChangeRequest(app, actor, space, changeRequest)
    return created(
      await presentChangeRequest(app, actor, space, made),
      `/v1/spaces/${space.doc.id}/change-requests/${made.doc.id}`,
    )
  },
})
