/**
 * Endpoints of a space's history: clients list revisions, read their changes and the contributors of a page, and roll
 * back.
 */
import { Type } from '@sinclair/typebox'
import type { App } from '../../domain/context/app.js'
import type { LoadedSpace } from '../../domain/context/loaded.js'
import { changesBetween } from '../../domain/revisions/changes/changes.js'
import { pageChangesBetween } from '../../domain/revisions/changes/page-changes.js'
import { type OpenRevision, openRevisionById } from '../../domain/revisions/revisions.js'
import { getPageContributors } from '../../domain/change-requests/contributors.js'
import { listRevisions } from '../../domain/revisions/history.js'
import { rollBack } from '../../domain/commits/rollback.js'
import type { CommitId } from '../../kernel/ids.js'
import { paginate } from '../../kernel/paging.js'
import {
  Changes,
  ContributorList,
  PageChanges,
  PageChangesQuery,
  pageQuery,
  RevisionChangesQuery,
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
    'contents; all other files of the repository are listed as files. With `base`, compares with any other revision.',
  section,
  needs: 'space:view',
  query: RevisionChangesQuery,
  returns: Changes,
  handle: async ({ app, space, revision, query }) => {
    const { base, ...list } = query
    const span = await spanTo(app, space, revision, base)
    const changes = await changesBetween(app, space, span, list)
    const info = base === undefined ? await revision.repo.objects.commit(span.after) : null
    return { ...changes, ...(info ? await presentMergedFrom(app, space, info) : {}) }
  },
})

export const getPageChangesOfRevision = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/revisions/{revisionId}/changes/page/{pageId}',
  summary: 'Get the changes of a page in a revision, block by block',
  description:
    'Compares the page with the first parent of the revision, or with the revision `base`. Each block is HTML that shows both versions, with the changed ' +
    'words marked. Reusable content and variables are shown as written.',
  section,
  needs: 'space:view',
  query: PageChangesQuery,
  returns: PageChanges,
  handle: async ({ app, space, revision, pageId, query }) =>
    pageChangesBetween(
      app,
      space,
      await spanTo(app, space, revision, query.base),
      pageId,
      (page) => `/s/${space.doc.id}/p/${page.id}?at=${revision.snapshot.commit}`,
    ),
})

/** Returns the two commits to compare: a revision, and the one that a query names, or its first parent. Throws 404. */
async function spanTo(
  app: App,
  space: LoadedSpace,
  { repo, snapshot }: OpenRevision,
  base: string | undefined,
): Promise<{ before: CommitId | null; after: CommitId }> {
  const after = snapshot.commit
  if (base !== undefined) return { before: (await openRevisionById(app, space, base)).snapshot.commit, after }
  return { before: (await repo.objects.commit(after)).parents[0] ?? null, after }
}

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
