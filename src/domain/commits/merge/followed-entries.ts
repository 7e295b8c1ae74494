/**
 * Updates entries of the merged table of contents if one side added or changed a page's entry while the other side
 * moved the page's file.
 */
import { renamedTarget } from '../../../content/edit/rewrite-references.js'
import { findTarget } from '../../../content/file-index.js'
import { folderOf, isMarkdown } from '../../../content/paths.js'
import { entriesFrom, readConfig } from '../../../content/config.js'
import { MAX_STRUCTURE_BYTES } from '../../../content/read-file.js'
import { decodeText, encodeText, encodingOf } from '../../../content/text.js'
import type { SummaryNode } from '../../../content/types.js'
import { unlessTooCostly } from '../../../content/work/text-work.js'
import { caseKey, type FileChange, type Repository } from '../../../git/index.js'
import type { TreeId } from '../../../kernel/ids.js'
import { Slices } from '../../../kernel/slices.js'
import type { App } from '../../context/app.js'
import type { SpaceRepository } from '../../context/loaded.js'
import { readSide } from './moved-files.js'
import type { OpenSides, Side } from './side.js'

/** Maximum number of entries that are updated. */
const MAX_ENTRIES = 500

type Tree = ReturnType<Repository['objects']['tree']>

/** The moves of a merge. */
export interface Following {
  /** The path of the merged table of contents. */
  summary: string
  /** The added files that were moved along with a folder: old path → new path. */
  moves: ReadonlyMap<string, string>
}

/**
 * Returns the change to the merged table of contents (at the path `summary`) that points entries to moved pages. Such
 * an entry was written by the other side and has the page's old path, where the merged tree has no file. Returns an
 * empty list if there is no such entry, or if another entry already points to the page.
 */
export async function followedEntries(
  app: App,
  space: SpaceRepository,
  heads: OpenSides,
  merged: TreeId,
  { summary, moves }: Following,
): Promise<FileChange[]> {
  const { repo, doc } = space
  const tree = repo.objects.tree(merged)
  const entry = await tree.entry(summary)
  if (!entry?.mode.startsWith('100')) return []
  const moved = new Map([...moves, ...(await movedPages(app, space, heads, tree, ({ config }) => config.summary))])
  if (moved.size === 0 || ((await tree.sizes([entry.oid]))[0] ?? 0) > MAX_STRUCTURE_BYTES) return []
  const bytes = await tree.read(entry.oid)
  const [text, work] = [decodeText(bytes), app.texts.for(doc.id)]
  const { config } = await readConfig(tree, work)
  const [from, root] = [entriesFrom(config), config.root]
  const nodes = nodesIn((await unlessTooCostly(work.summary(text), null))?.nodes ?? [])
  // An entry that was written at the old path of the table of contents is relative to that path.
  const places = [[from, root] as const, [entriesFrom(heads.base.config), heads.base.config.root] as const]
  const resolve = (href: string, exists: (path: string) => boolean): string | null => {
    for (const [at, top] of places) {
      const found = findTarget(href.replace(/[?#].*$/, ''), folderOf(at), top, exists)
      if (found !== null) return found
    }
    return null
  }
  const targetsOfMoves = new Set(moved.values())
  // If the side that moved the root also changed the case of a folder's name, an entry has the other spelling.
  const spelled = new Map([...moves.values()].map((to) => [caseKey(to), to]))
  const listed = new Set(nodes.flatMap(({ href }) => (href ? [resolve(href, (path) => targetsOfMoves.has(path))] : [])))
  const targets: { start: number; href: string }[] = []
  const slices = new Slices()
  for (const { href, start } of nodes) {
    if (slices.due) await slices.rest()
    const isMoved = (one: string): boolean => moved.has(one) || spelled.has(caseKey(one))
    const path = href && targets.length < MAX_ENTRIES ? resolve(href, isMoved) : null
    const to = path === null ? undefined : (moved.get(path) ?? spelled.get(caseKey(path)))
    if (path !== null && to !== undefined && href && !listed.has(to))
      targets.push({ start, href: renamedTarget(href, path, { from, to, root }) })
  }
  if (targets.length === 0) return []
  const outcome = await unlessTooCostly(work.changeSummary(text, { kind: 'retarget', targets }), null)
  return outcome && 'done' in outcome
    ? [{ path: summary, content: encodeText(outcome.done, encodingOf(bytes)), mode: entry.mode }]
    : []
}

const nodesIn = (nodes: readonly SummaryNode[]): SummaryNode[] =>
  nodes.flatMap((node) => [node, ...nodesIn(node.children)])

/**
 * Returns the pages that one side moved while the other side changed a file with paths of pages: old path → new path.
 * @param fileOf returns the path of that file on a side
 */
export async function movedPages(
  app: App,
  space: SpaceRepository,
  { base, ours, theirs }: OpenSides,
  merged: Tree,
  fileOf: (side: Side) => string,
): Promise<Map<string, string>> {
  const { repo } = space
  const moved = new Map<string, string>()
  const listed = await Promise.all(
    [base, ours, theirs].map(async (side) => (await side.snapshot.entry(fileOf(side)))?.oid),
  )
  for (const [mover, other] of [
    [ours, listed[2]],
    [theirs, listed[1]],
  ] as const) {
    const changes = other === listed[0] ? [] : await repo.trees.diff(base.commit, mover.commit)
    const gone = changes.filter(({ path, status }) => status === 'deleted' && isMarkdown(path))
    if (gone.length === 0) continue
    const was = await base.ids()
    const { files } = await readSide(app, space, base, mover, changes)
    const slices = new Slices()
    for (const { path } of gone) {
      if (slices.due) await slices.rest()
      const there = files.get(was(path))?.path
      if (there !== undefined && (await merged.entry(path)) === null && (await merged.entry(there)) !== null)
        moved.set(path, there)
    }
  }
  return moved
}
