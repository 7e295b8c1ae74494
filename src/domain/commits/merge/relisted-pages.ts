/** Keeps a page's entry if one side restored the page's file while the other side removed the entry as broken. */
import { entriesFrom, readConfig } from '../../../content/config.js'
import { findTarget } from '../../../content/file-index.js'
import { folderOf, isMarkdown } from '../../../content/paths.js'
import { MAX_STRUCTURE_BYTES } from '../../../content/read-file.js'
import { decodeText, encodeText, encodingOf } from '../../../content/text.js'
import type { SummaryNode } from '../../../content/types.js'
import { type TextWork, unlessTooCostly } from '../../../content/work/text-work.js'
import type { FileChange, TreeEntry } from '../../../git/index.js'
import type { CommitId, TreeId } from '../../../kernel/ids.js'
import type { App } from '../../context/app.js'
import type { SpaceRepository } from '../../context/loaded.js'
import type { OpenSides } from './side.js'

/** Maximum number of entries that are kept. */
const MAX_ENTRIES = 100
const NO_NAMES = { base: {}, ours: {}, theirs: {} }

/** Reads tables of contents and finds the entries of given files. */
interface Tables {
  text(file: TreeEntry): Promise<string>
  /** Returns the start offsets of the files' entries, by path. */
  startsOf(text: string, files: ReadonlySet<string>): Promise<Map<string, number>>
}

/**
 * Returns the change to the merged table of contents (at the path `summary`) that lists restored pages again. In this
 * case, the merge base lists a missing file, one side added that file, and the other side removed the entry. Without
 * the change, the page would exist but be unlisted, although neither side intended that.
 */
export async function relistedPages(
  app: App,
  space: SpaceRepository,
  heads: OpenSides,
  merged: TreeId,
  { summary }: { summary: string },
): Promise<FileChange[]> {
  const { repo, doc } = space
  const tree = repo.objects.tree(merged)
  const [base, ours, theirs] = await Promise.all(
    [heads.base, heads.ours, heads.theirs].map(({ snapshot }) => snapshot.entry(summary)),
  )
  if (base?.mode.startsWith('100') !== true || !ours || !theirs) return []
  for (const [adder, listing, other] of [
    [heads.ours, ours, theirs],
    [heads.theirs, theirs, ours],
  ] as const) {
    const added =
      other.oid === base.oid ? new Set<string>() : await addedPages(space, heads.base.commit, adder.commit, tree)
    if (added.size === 0) continue
    const now = await tree.entry(summary)
    if (
      !now?.mode.startsWith('100') ||
      Math.max(...(await tree.sizes([base.oid, listing.oid, now.oid]))) > MAX_STRUCTURE_BYTES
    )
      return []
    const { config } = await readConfig(tree, app.texts.for(doc.id))
    const work = app.texts.for(doc.id)
    const tables: Tables = {
      text: async ({ oid }) => decodeText(await tree.read(oid)),
      startsOf: async (text, files) =>
        startsOf(await work.summary(text), (href) =>
          findTarget(href, folderOf(entriesFrom(config)), config.root, (path) => files.has(path)),
        ),
    }
    const text = await unlessTooCostly(relist(work, tables, { base, listing, now }, added), null)
    if (text !== null)
      return [{ path: summary, content: encodeText(text, encodingOf(await tree.read(now.oid))), mode: now.mode }]
  }
  return []
}

/** Returns the Markdown files that a side added and that the merge contains. */
async function addedPages(
  { repo }: SpaceRepository,
  base: CommitId,
  side: CommitId,
  merged: { entry(path: string): Promise<TreeEntry | null> },
) {
  const added = (await repo.trees.diff(base, side)).filter(({ path, status }) => status === 'added' && isMarkdown(path))
  const there = await Promise.all(added.map(async ({ path }) => (await merged.entry(path)) !== null))
  return new Set(added.filter((_, i) => there[i]).map(({ path }) => path))
}

/**
 * Returns the merged text with the missing entries of `files` that both the base and `listing` contain; null if none is
 * missing.
 */
async function relist(
  work: TextWork,
  tables: Tables,
  { base, listing, now }: Record<'base' | 'listing' | 'now', TreeEntry>,
  files: ReadonlySet<string>,
): Promise<string | null> {
  const before = await tables.startsOf(await tables.text(base), files)
  if (before.size === 0) return null
  const [full, merged] = [await tables.text(listing), await tables.text(now)]
  const [starts, listed] = [await tables.startsOf(full, files), await tables.startsOf(merged, files)]
  const lost = [...starts].filter(([path]) => before.has(path) && !listed.has(path)).slice(0, MAX_ENTRIES)
  if (lost.length === 0) return null
  // Remove the entries from the side's text and use the result as the merge base. The merge then treats them as
  // additions and inserts them at the side's positions.
  let without = full
  for (const [, start] of lost.sort(([, a], [, b]) => b - a)) {
    const outcome = await work.changeSummary(without, { kind: 'remove', start })
    if (!('done' in outcome)) return null
    without = outcome.done
  }
  const outcome = await work.mergeSummary(without, merged, full, NO_NAMES)
  return 'text' in outcome ? outcome.text : null
}

function startsOf(
  { nodes }: { nodes: readonly SummaryNode[] },
  resolve: (href: string) => string | null,
): Map<string, number> {
  const found = new Map<string, number>()
  const waiting = [...nodes]
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    const path = node.href ? resolve(node.href) : null
    if (path !== null && !found.has(path)) found.set(path, node.start)
    waiting.push(...node.children)
  }
  return found
}
