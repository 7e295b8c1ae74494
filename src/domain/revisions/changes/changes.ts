import type { CommitId } from '../../../kernel/ids.js'
import type { Change, ChangesQuery } from '../../../model/index.js'
import type { App } from '../../context/app.js'
import type { LoadedSpace } from '../../context/loaded.js'
import { draftFiles, draftReusableContents, draftVariables } from './files.js'
import { draftPages } from './pages.js'
import { openForComparison } from './pair.js'
import { diffTexts } from './text-diff.js'

/**
 * What differs between two revisions: pages by their IDs, other files, variables, reusable content. Its cost follows the
 * files that differ; only where one of them shapes the space (table of contents, names) are all pages compared. `before`
 * null = everything is new. Texts are read and compared for the changes that are shown.
 */
export async function changesBetween(
  app: App,
  space: LoadedSpace,
  revisions: { before: CommitId | null; after: CommitId },
  query: ChangesQuery,
): Promise<{ changes: Change[]; more?: number }> {
  const pair = await openForComparison(app, space, revisions.before, revisions.after)
  const pages = await draftPages(app, pair)
  const all =
    query.pageId === undefined
      ? [...pages, ...(await draftFiles(app, pair)), ...draftVariables(pair), ...draftReusableContents(pair)]
      : pages.filter((draft) => draft.page === query.pageId)
  const shown = all.slice(0, query.limit)
  const changes = await Promise.all(shown.map((draft) => draft.make()))
  if (query.diff !== undefined) {
    const texts = shown.flatMap((draft, index) => (draft.text ? [{ text: draft.text, index }] : []))
    const diffs = await diffTexts(
      pair.after,
      texts.map(({ text }) => text),
      query.diff,
    )
    for (const [at, diff] of diffs.entries()) Object.assign(changes[texts[at]?.index as number] as Change, { diff })
  }
  const more = all.length - shown.length
  return { changes, ...(more > 0 ? { more } : {}) }
}
