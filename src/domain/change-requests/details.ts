/** Reads the details of change requests in lists: the reviewers with their states, and the number of changed pages. */
import { isMarkdown } from '../../content/paths.js'
import type { TreeChange } from '../../git/index.js'
import { pageOf } from '../../kernel/paging.js'
import { requestedReviews, reviews } from '../../model/index.js'
import type { App } from '../context/app.js'
import type { LoadedChangeRequest, LoadedSpace } from '../context/loaded.js'
import { spanOf } from './span.js'

/** Maximum number of reviews, and of requests for one, that are read of a change request. */
const MAX_REVIEWS = 100

/** The state of a reviewer. An earlier approval is of an earlier revision, and does not count. */
export type ReviewerState = 'requested' | 'approved' | 'changes-requested' | 'earlier-approval'

/** The reviewers by the ID of their user, and the number of changed pages. */
export interface RequestDetails {
  reviewers: ReadonlyMap<string, ReviewerState>
  changedPages: number
}

/** Returns the details of a change request. Reads trees and no page, and nothing that it read before. */
export async function detailsOf(app: App, space: LoadedSpace, changeRequest: LoadedChangeRequest) {
  const [reviewers, changedPages] = await Promise.all([
    reviewersOf(app, changeRequest),
    changedPagesOf(app, space, changeRequest),
  ])
  return { reviewers, changedPages } satisfies RequestDetails
}

async function reviewersOf(app: App, { doc, head }: LoadedChangeRequest): Promise<Map<string, ReviewerState>> {
  const query = { limit: MAX_REVIEWS, order: 'desc' } as const
  const [given, asked] = await Promise.all([
    pageOf(app.store, reviews, 'sequence', doc.id, query),
    pageOf(app.store, requestedReviews, 'requestedAt', doc.id, query),
  ])
  const found = new Map<string, ReviewerState>(asked.items.map(({ user }) => [user, 'requested']))
  for (const { reviewer, status, revision, dismissedAt } of given.items)
    if (!found.has(reviewer) && dismissedAt === undefined)
      found.set(reviewer, status === 'approved' && revision !== head ? 'earlier-approval' : status)
  return found
}

/** Counts the changed pages from the files that differ, so that the cost depends on the change alone. */
async function changedPagesOf(app: App, space: LoadedSpace, changeRequest: LoadedChangeRequest): Promise<number> {
  const { before, after } = await spanOf(app, space, changeRequest)
  const key = `${space.doc.id}:${before}:${after}`
  const known = app.content.changedPages.get(key)
  if (known !== undefined) return known
  const count = countPages(await space.repo.trees.diff(before, after))
  app.content.changedPages.set(key, count)
  return count
}

/** A file that moved with the same content is one page. */
function countPages(changes: readonly TreeChange[]): number {
  const pages = changes.filter(({ path }) => isMarkdown(path) && !/(^|\/)SUMMARY\.md$/i.test(path))
  const added = new Set(pages.flatMap(({ status, after }) => (status === 'added' && after ? [after.oid] : [])))
  return pages.filter(({ status, before }) => !(status === 'deleted' && before && added.has(before.oid))).length
}
