/**
 * Endpoints of a space's history: clients list revisions, read their changes and the contributors of a page, and roll
 * back.
 */
import { Type } from '@sinclair/typebox'
import { changesBetween } from '../../domain/revisions/changes/changes.js'
import { getPageContributors } from '../../domain/change-requests/contributors.js'
import { listRevisions } from '../../domain/revisions/history.js'
import { rollBack } from '../../domain/commits/rollback.js'
import { paginate } from '../../kernel/paging.js'
import {
  Changes,
  ChangesQuery,
  ContributorList,
  pageQuery,
  RevisionList,
  RevisionsQuery,
  Rollback,
  RollbackResult,
} from '../../model/index.js'
import { endpoint } from '../service.js'
import { presentAuthors, presentRevisions } from './present.js'
import { presentMergedFrom } from './present-facts.js'

const section = 'Revisions'

export const listRevisionsInSpace = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/revisions',
  summary: 'List the history of the main content, newest first, without pages',
  description:
    'The first-parent history of main: a merged change request is one revision. With `pageId`, only the revisions that changed that page: its file (at any ' +
    'path), its title or its position in the table of contents; for a deleted page, up to its deletion. Paging stays consistent while revisions are added.',
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
  summary: 'Get the changes of a revision',
  description:
    'Compares the revision with its first parent; the first revision created all its content. Pages are compared by ID, in the order of the table of ' +
    'contents; all other files of the repository are listed as files.',
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
  summary: 'List the contributors to a page of the main content',
  description:
    'Lists the authors of the revisions that changed the page (see `GET …/revisions?pageId=`), ordered by name: members of the organization, or the name ' +
    'and email address that Git recorded. For a merged change request or import, lists the authors of the commits that changed the page.',
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
  summary: 'Restore an earlier revision of the main content',
  description:
    'Adds a commit with the files and page IDs of that revision; later revisions stay in the history. Only revisions in the history of main can be ' +
    'restored: returns 409 for one that was imported separately (`standalone`), and if nothing would change.',
  section,
  needs: 'space:merge',
  body: Rollback,
  returns: RollbackResult,
  fails: [409, 423],
  handle: async ({ app, actor, space, body }) => ({
    ...(await rollBack(app, actor, space, body.revision)),
    result: 'rollback' as const,
  }),
})
