import type { Merged } from '../../../content/edit/merge-yaml.js'
import { findTarget } from '../../../content/file-index.js'
import { idOf } from '../../../content/identity.js'
import { readConfig } from '../../../content/config.js'
import { folderOf, isMarkdown, keyBelow } from '../../../content/paths.js'
import { MAX_STRUCTURE_BYTES } from '../../../content/read-file.js'
import { type SummaryNames, type TextWork, unlessTooCostly } from '../../../content/work/text-work.js'
import { decodeText, encodeText, encodingOf, MAX_TEXT_BYTES } from '../../../content/text.js'
import type { SummaryNode } from '../../../content/types.js'
import type { EntryMode, FileChange, MergeConflict, Repository } from '../../../git/index.js'
import type { CommitId, TreeId } from '../../../kernel/ids.js'
import type { App } from '../../context/app.js'
import type { LoadedSpace } from '../../context/loaded.js'
import { overridesAt } from '../../revisions/identity.js'
import { Slices } from '../../../kernel/slices.js'
import { joinedBase } from './joined-base.js'
import { type Assembled, madeUpNames, mergeById } from './merge-by-id.js'
import { conflictOfLeftOut } from './left-out-pages.js'
import { movedFiles } from './moved-files.js'
import type { Sides, MergedTree } from './merged-tree.js'

/**
 * Merges two commits' trees. A file that was moved is known by its ID: what the other side changed in it meets it where it is now. What
 * Git cannot merge is tried again where the file has a structure: the table of contents as a tree, YAML and front
 * matter by key. Only what still collides is a conflict; nothing with markers is answered.
 */
export async function mergeCommits(app: App, space: Pick<LoadedSpace, 'doc' | 'repo'>, { ours, theirs, base: given }: Sides): Promise<MergedTree> {
  const { repo } = space
  const base = given ?? (await joinedBase(app, space, { ours, theirs }, mergeCommits))
  const sides: Sides = { ours, theirs, ...(base === null ? {} : { base }) }
  const attempt = await mergeFiles(app, space, sides, given)
  if (attempt.conflicts.length + attempt.setAside.length === 0) return { clean: true, tree: attempt.tree }
  const { summary } = (await readConfig(await repo.at(sides.ours), app.texts.for(space.doc.id))).config
  const changes = [...attempt.setAside]
  const left: MergeConflict[] = []
  const slices = new Slices()
  for (const conflict of attempt.conflicts) {
    const merged = await mergeStructured(app, space, sides, conflict, summary)
    if (merged === null) left.push(conflict)
    else changes.push({ path: conflict.path, content: merged, mode: conflict.ours?.mode as EntryMode })
    if (slices.due) await slices.rest()
  }
  if (left.length > 0)
    return { clean: false, conflicts: [...left, ...(await fallenOut(app, space, sides, left, changes, attempt.tree))], tree: attempt.tree, setAside: changes }
  return { clean: true, tree: await repo.draft(attempt.tree, changes) }
}

/** Where pages are in conflict about their places, others may have been put in those: the table of contents must not lose them unasked. */
async function fallenOut(
  app: App,
  space: Pick<LoadedSpace, 'doc' | 'repo'>,
  { base, ours, theirs }: Sides,
  conflicts: readonly MergeConflict[],
  changes: readonly FileChange[],
  tree: TreeId,
): Promise<MergeConflict[]> {
  if (base === undefined || !conflicts.some(({ kind }) => kind === 'rename' || kind === 'modify/delete')) return []
  const open = new Set(conflicts.flatMap((one) => [one.path, one.ours?.path, one.theirs?.path]).filter((path) => path !== undefined))
  const found = await unlessTooCostly(conflictOfLeftOut(app, space, { base, ours, theirs }, await space.repo.draft(tree, changes), open), null)
  return found ? [found] : []
}

async function mergeFiles(app: App, { doc, repo }: Pick<LoadedSpace, 'doc' | 'repo'>, { ours, theirs, base }: Sides, given?: CommitId): Promise<Assembled> {
  if (base === undefined) return mergeByPath(repo, { ours, theirs })
  const moved = await movedFiles(app, doc.id, repo, { ours, theirs, base })
  // Of histories that crossed Git would join the bases itself, by lines, and put markers into tables of contents.
  const crossed = given === undefined && base !== (await repo.mergeBase(ours, theirs))
  if (moved.length > 0 || crossed) return mergeById(app, repo, { ours, theirs, base }, moved)
  return mergeByPath(repo, { ours, theirs, ...(given === undefined ? {} : { base: given }) })
}

async function mergeByPath(repo: Repository, sides: Sides): Promise<Assembled> {
  const outcome = await repo.merge(sides)
  if (outcome.clean) return { tree: outcome.tree, conflicts: [], setAside: [] }
  return { tree: outcome.tree, conflicts: outcome.conflicts, setAside: await madeUpNames(repo, outcome.tree, sides) }
}

async function mergeStructured(
  app: App,
  space: Pick<LoadedSpace, 'doc' | 'repo'>,
  sides: Sides,
  conflict: MergeConflict,
  summary: string,
): Promise<Uint8Array | null> {
  const { base, ours, theirs, path } = conflict
  if (!ours || !theirs || (conflict.kind !== 'content' && conflict.kind !== 'add/add')) return null
  const snapshot = await space.repo.at(sides.ours)
  // Git has merged what it could, in a process of its own: what is left of a larger file is people's business.
  const sizes = await snapshot.sizes([base, ours, theirs].flatMap((side) => (side === undefined ? [] : [side.oid])))
  if (Math.max(...sizes) > (path === summary ? MAX_STRUCTURE_BYTES : MAX_TEXT_BYTES)) return null
  const [was, mine, other] = await Promise.all([base, ours, theirs].map((side) => (side === undefined ? Buffer.alloc(0) : snapshot.read(side.oid))))
  // Latin-1 stays Latin-1 where both sides write it; sides in two encodings cannot be joined byte by byte.
  const encoding = encodingOf(mine as Buffer)
  if (encoding !== encodingOf(other as Buffer)) return null
  const [b, o, t] = [was, mine, other].map((bytes) => decodeText(bytes as Buffer)) as [string, string, string]
  const merged = await unlessTooCostly(
    path === summary
      ? mergeSummaries(app, space, sides, { base: b, ours: o, theirs: t })
      : mergeTexts(app.texts.for(space.doc.id), path, base !== undefined, b, o, t),
    null,
  )
  return merged && 'text' in merged ? encodeText(merged.text, encoding) : null
}

/** What is too costly to be merged by its structure stays Git's conflict. */
async function mergeTexts(work: TextWork, path: string, hasBase: boolean, b: string, o: string, t: string): Promise<Merged | null> {
  if (/(^|\/)(\.gitbook\.yaml|\.gitbook\/vars\.yaml|\.gitbook\/tags\.yaml)$/.test(path)) return work.mergeYaml(b, o, t)
  return isMarkdown(path) && hasBase ? work.mergePage(b, o, t) : null
}

type Versions = Record<keyof SummaryNames, string>

/**
 * Merges three versions of the table of contents. Their entries are known by the IDs of their pages: a renamed file's entry is
 * the same one. Only pages of the base count: what two sides added apart can have one ID until they are merged.
 */
async function mergeSummaries(app: App, { doc, repo }: Pick<LoadedSpace, 'doc' | 'repo'>, sides: Sides, texts: Versions): Promise<Merged> {
  const work = app.texts.for(doc.id)
  const base = sides.base ?? (await repo.mergeBase(sides.ours, sides.theirs))
  const pages = new Set<string>()
  const names = async (commit: CommitId | null, text: string): Promise<Record<string, string>> => {
    if (commit === null) return {}
    const snapshot = await repo.at(commit)
    const [{ config }, overrides, files] = await Promise.all([readConfig(snapshot, work), overridesAt(app, doc.id, repo, commit), snapshot.walk()])
    const paths = new Set(files.map((file) => file.path))
    const identify = (path: string): string => idOf(overrides)('page', keyBelow(config.root, path))
    const slices = new Slices()
    if (commit === base)
      for (const path of paths) {
        if (slices.due) await slices.rest()
        pages.add(identify(path))
      }
    const found: [string, string][] = []
    for (const href of hrefsIn((await work.summary(text)).nodes)) {
      if (slices.due) await slices.rest()
      const path = /[?#]/.test(href) ? null : findTarget(href, folderOf(config.summary), config.root, (one) => paths.has(one))
      const id = path === null ? null : identify(path)
      if (id !== null && pages.has(id)) found.push([href, id])
    }
    return Object.fromEntries(found)
  }
  const named = { base: await names(base, texts.base), ours: await names(sides.ours, texts.ours), theirs: await names(sides.theirs, texts.theirs) }
  return work.mergeSummary(texts.base, texts.ours, texts.theirs, named)
}

const hrefsIn = (nodes: readonly SummaryNode[]): Set<string> =>
  new Set(nodes.flatMap((node) => [...(node.href === null || node.href === undefined ? [] : [node.href]), ...hrefsIn(node.children)]))
