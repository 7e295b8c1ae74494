import { Type } from '@sinclair/typebox'
import { changesBetween } from '../../domain/revisions/changes/changes.js'
import { getPageContributors } from '../../domain/change-requests/contributors.js'
import { listRevisions } from '../../domain/revisions/history.js'
import { rollBack } from '../../domain/commits/rollback.js'
import { paginate } from '../../kernel/paging.js'
import { Changes, ChangesQuery, ContributorList, pageQuery, RevisionList, RevisionsQuery, Rollback, RollbackResult } from '../../model/index.js'
import { endpoint } from '../service.js'
import { presentAuthors, presentRevisions } from './present.js'
import { presentMergedFrom } from './present-facts.js'

const section = 'Revisions'

export const listRevisionsInSpace = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/revisions',
  summary: 'List the history of the main content, newest first, without pages',
  description:
    'The first-parent line of main: a merged change request is one revision. With `pageId`, the revisions that changed that page: its file, under whatever path it had, or its title or place in the table of contents; of a deleted page those up to its deletion. ' +
    'The pages of the list stay right while new revisions come.',
  section,
  needs: 'space:view',
  query: RevisionsQuery,
  returns: RevisionList,
  handle: async ({ app, space, query }) => {
    const page = await listRevisions(app, space, query)
    return { ...page, items: await presentRevisions(app, space, page.items) }
  },
})

export const getChangesOfRevisionById = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/revisions/{revisionId}/changes',
  summary: 'What a revision changed',
  description:
    'Against its first parent; the first revision created all that it has. Pages are compared by ID, in the order of the table of contents; every other file of the repository is listed as a file.',
  section,
  needs: 'space:view',
  query: ChangesQuery,
  returns: Changes,
  handle: async ({ app, space, revision, query }) => {
    const info = await revision.repo.commit(revision.snapshot.commit)
    const changes = await changesBetween(app, space, { before: info.parents[0] ?? null, after: info.id }, query)
    return { ...changes, ...(await presentMergedFrom(app, space, info)) }
  },
})

export const getContributorsByPageId = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/content/page/{pageId}/contributors',
  summary: 'List who wrote in a page of the main content',
  description:
    'The authors of the revisions that changed the page (see `GET …/revisions?pageId=`), by name: members of the organization, or the name and e-mail address that Git recorded. ' +
    'Of a merged change request or import those count whose own commits changed the page.',
  section,
  needs: 'space:view',
  query: Type.Object(pageQuery),
  returns: ContributorList,
  handle: async ({ app, space, pageId, query }) => {
    const page = paginate(await getPageContributors(app, space, pageId), query, ({ name, email }) => [name, email])
    return { ...page, items: await presentAuthors(app, space, page.items) }
  },
})

export const rollBackSpace = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/rollback',
  summary: 'Bring the main content back to an earlier revision',
  description:
    'A new commit with the files and page IDs of that revision; what came since stays in the history. ' +
    'Only revisions in the history of main are taken: 409 for one that was imported by itself, and where nothing would change.',
  section,
  needs: 'space:merge',
  body: Rollback,
  returns: RollbackResult,
  fails: [409, 423],
  handle: async ({ app, actor, space, body }) => ({ ...(await rollBack(app, actor, space, body.revision)), result: 'rollback' as const }),
})
