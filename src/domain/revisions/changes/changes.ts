/** Lists the changes between two revisions, one page of the list at a time. */
import { required } from '../../../kernel/defined.js'
import type { CommitId } from '../../../kernel/ids.js'
import type { Change, ChangesQuery } from '../../../model/index.js'
import type { App } from '../../context/app.js'
import type { LoadedSpace } from '../../context/loaded.js'
import { openComparison } from './comparison.js'
import { findFileChanges } from './files.js'
import { findReusableContentChanges, findVariableChanges } from './shared-content.js'
import { findPageChanges } from './pages.js'
import { diffTexts } from './text-diff.js'

/**
 * Lists the differences between two revisions: pages (by ID), other files, variables, reusable content. The cost
 * depends on the changed files. All pages are compared only if a changed file shapes the structure, such as the table
 * of contents. If `before` is null, everything is new. Texts are read and compared only for the changes that are
 * returned.
 */
export async function changesBetween(
  app: App,
  space: LoadedSpace,
  revisions: { before: CommitId | null; after: CommitId },
  query: ChangesQuery,
): Promise<{ changes: Change[]; more?: number }> {
  const comparison = await openComparison(app, space, revisions.before, revisions.after)
  const pages = await findPageChanges(app, comparison)
  const all =
    query.pageId === undefined
      ? [
          ...pages,
          ...(await findFileChanges(app, comparison)),
          ...findVariableChanges(comparison),
          ...findReusableContentChanges(comparison),
        ]
      : pages.filter((found) => found.page === query.pageId)
  const shown = all.slice(0, query.limit)
  const changes = await Promise.all(shown.map((found) => found.describe(query.brief)))
  if (query.diff !== undefined) {
    const texts = shown.flatMap((found, index) => (found.text ? [{ text: found.text, index }] : []))
    const diffs = await diffTexts(
      comparison.after,
      texts.map(({ text }) => text),
      query.diff,
      query.context,
    )
    for (const [at, diff] of diffs.entries()) Object.assign(required(changes[required(texts[at]?.index)]), { diff })
  }
  const more = all.length - shown.length
  return { changes, ...(more > 0 ? { more } : {}) }
}
