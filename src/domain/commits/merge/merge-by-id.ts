// Merges files by page ID. Git merges by path, so a file that one side moved and the other side changed would be a
// conflict. Before Git's merge, each such file is "aligned": it gets the same temporary path in all three trees. After
// the merge, it moves to its merged path.
import { required } from '../../../kernel/defined.js'
import {
  type FileChange,
  InvalidPath,
  type MergeConflict,
  type MergeOutcome,
  type Repository,
  type TreeEntry,
} from '../../../git/index.js'
import type { CommitId, TreeId } from '../../../kernel/ids.js'
import type { App } from '../../context/app.js'
import { serviceSignature } from '../make-commit.js'
import type { MovedFile } from './moved-files.js'

/** The result of Git's merge. Conflicts have the files' real paths, not temporary ones. */
export interface FileMerge {
  /**
   * Git's tree. It may contain conflict markers and files at temporary paths, so it must not be committed unchanged.
   */
  tree: TreeId
  conflicts: MergeConflict[]
  /** The changes that turn Git's tree into the merged tree, except for the conflicts. */
  setAside: FileChange[]
  /** Files in conflict that were merged by ID, with Git's conflict markers, at their merged paths. */
  marked: FileChange[]
}

interface Heads {
  base: CommitId
  ours: CommitId
  theirs: CommitId
}

/** A moved file that the merge base and both sides have, with its temporary path. */
interface AlignedFile extends MovedFile {
  ours: TreeEntry
  theirs: TreeEntry
  at: string
}

/**
 * Merges two commits: the files in `moved` by page ID, all other files by path. The edits of both sides are merged even
 * if a side has moved the file. If one side deleted a moved file and the other side changed or moved it, that is a
 * conflict.
 */
export async function mergeById(
  app: App,
  repo: Repository,
  heads: Heads,
  moved: readonly MovedFile[],
): Promise<FileMerge> {
  const prefix = await freeName(repo, heads)
  const aligned = moved.flatMap(({ base, ours, theirs }, n): AlignedFile[] =>
    ours && theirs ? [{ base, ours, theirs, at: `${prefix}/${n}` }] : [],
  )
  let outcome: MergeOutcome
  try {
    outcome = await mergeAligned(app, repo, heads, moved, aligned)
  } catch (error) {
    // A tree contains paths that the server does not write. In that case, all files are merged by path.
    if (!(error instanceof InvalidPath)) throw error
    const plain = await repo.trees.merge(heads)
    return {
      tree: plain.tree,
      conflicts: plain.clean ? [] : plain.conflicts,
      setAside: plain.clean ? [] : await madeUpNames(repo, plain.tree, heads),
      marked: [],
    }
  }
  const temporary = new Set(aligned.map((file) => file.at))
  const reported = outcome.clean ? [] : outcome.conflicts
  const result: FileMerge = {
    tree: outcome.tree,
    conflicts: reported.filter(({ path }) => !temporary.has(path)),
    setAside: aligned.map(({ at }) => ({ path: at, delete: true })),
    marked: [],
  }
  const placed = await restorePaths(repo, result, aligned, new Map(reported.map((one) => [one.path, one])))
  for (const file of moved) await addDeletionConflict(repo, result, file, placed)
  return result
}

/**
 * Runs Git's merge on three trees in which the aligned files are at their temporary paths and the other moved files are
 * absent.
 */
async function mergeAligned(
  app: App,
  repo: Repository,
  heads: Heads,
  moved: readonly MovedFile[],
  aligned: readonly AlignedFile[],
): Promise<MergeOutcome> {
  const me = serviceSignature(app)
  const write = async (side: keyof Heads, parents: CommitId[]): Promise<CommitId> => {
    const away = moved.flatMap((file): FileChange[] => (file[side] ? [{ path: file[side].path, delete: true }] : []))
    const put = aligned.map((file): FileChange => ({ path: file.at, oid: file[side].oid, mode: file[side].mode }))
    const { tree } = await repo.objects.commit(heads[side])
    return repo.objects.write({
      parents,
      tree,
      changes: [...away, ...put],
      message: `Files of ${heads[side]} at temporary paths\n`,
      author: me,
      committer: me,
    })
  }
  const base = await write('base', [])
  const sides = { ours: await write('ours', [base]), theirs: await write('theirs', [base]) }
  const outcome = await repo.trees.merge(sides)
  if (outcome.clean) return outcome
  const changes = await madeUpNames(repo, outcome.tree, sides)
  if (changes.length === 0) return outcome
  return { ...outcome, tree: await repo.trees.draft(outcome.tree, changes) }
}

/** Returns deletions of the files that Git renamed to `name~<commit>` because a folder is at their path. */
export async function madeUpNames(
  repo: Repository,
  tree: TreeId,
  sides: { ours: CommitId; theirs: CommitId },
): Promise<FileChange[]> {
  const isMadeUp = (path: string): boolean => [sides.ours, sides.theirs].some((commit) => path.includes(`~${commit}`))
  return (await repo.trees.diff(null, tree))
    .filter(({ path }) => isMadeUp(path))
    .map(({ path }) => ({ path, delete: true as const }))
}

/** Returns a folder name for the temporary paths that no tree contains. */
async function freeName(repo: Repository, heads: Heads): Promise<string> {
  const names = await Promise.all(
    Object.values(heads).map(async (commit) => (await (await repo.objects.snapshot(commit)).list('')) ?? []),
  )
  const taken = new Set(names.flat().map((entry) => entry.path))
  let name = 'held-by-merge'
  while (taken.has(name)) name += '-'
  return name
}

/**
 * Adds the conflict for a file that one side deleted. If the merge has another file at its path, that file counts as
 * the other side's version.
 */
async function addDeletionConflict(
  repo: Repository,
  result: FileMerge,
  { base, ours, theirs }: MovedFile,
  placed: ReadonlyMap<string, TreeEntry>,
): Promise<void> {
  const remaining = ours ?? theirs
  if (!remaining || (ours && theirs)) return
  const there = placed.get(remaining.path) ?? (await repo.objects.tree(result.tree).entry(remaining.path))
  const other = there && there.mode !== '040000' ? there : null
  const [mine, its] = [ours ?? other, theirs ?? other]
  const kind = other || (remaining.oid === base.oid && remaining.mode === base.mode) ? 'rename' : 'modify/delete'
  result.conflicts.push({ path: remaining.path, kind, base, ...(mine && { ours: mine }), ...(its && { theirs: its }) })
}

/**
 * Returns the merged path of a file: the path from the side that moved it. Null if the sides moved it to different
 * paths.
 */
function mergedPathOf({ base, ours, theirs }: AlignedFile): string | null {
  if (ours.path === theirs.path || theirs.path === base.path) return ours.path
  return ours.path === base.path ? theirs.path : null
}

/**
 * Moves the aligned files from their temporary paths to their merged paths if those are free, and adds conflicts for
 * those paths. Returns the files that were moved, by merged path.
 */
async function restorePaths(
  repo: Repository,
  result: FileMerge,
  aligned: readonly AlignedFile[],
  reported: ReadonlyMap<string, MergeConflict>,
): Promise<Map<string, TreeEntry>> {
  const placed = new Map<string, TreeEntry>()
  const tree = repo.objects.tree(result.tree)
  const claims = new Map<string, number>()
  for (const file of aligned)
    for (const path of [mergedPathOf(file) ?? '']) claims.set(path, (claims.get(path) ?? 0) + 1)
  for (const file of aligned) {
    const conflict = reported.get(file.at)
    const made = await tree.entry(file.at)
    const merged = conflict ? null : made
    const sideAs = (side: TreeEntry): TreeEntry => (merged ? { ...side, oid: merged.oid, mode: merged.mode } : side)
    const [ours, theirs] = [sideAs(file.ours), sideAs(file.theirs)]
    const path = mergedPathOf(file)
    if (path === null) result.conflicts.push({ path: ours.path, kind: 'rename', base: file.base, ours, theirs })
    else if (required(claims.get(path)) > 1 || (await isTaken(tree, path)))
      await addCollision(result, file, path, sideAs)
    else if (conflict) {
      result.conflicts.push({ path, kind: conflict.kind, base: file.base, ours, theirs })
      if (made) result.marked.push({ path, oid: made.oid, mode: made.mode })
    } else if (merged) {
      result.setAside.push({ path, oid: merged.oid, mode: merged.mode })
      placed.set(path, { ...merged, path })
    }
  }
  return placed

  /** Adds the conflict for a file whose merged path is taken, or is also the merged path of another file. */
  async function addCollision(
    into: FileMerge,
    file: AlignedFile,
    path: string,
    sideAs: (side: TreeEntry) => TreeEntry,
  ): Promise<void> {
    const own = file.ours.path === path ? 'ours' : 'theirs'
    const known = into.conflicts.find((one) => one.path === path)
    const there = await tree.entry(path)
    const entry = { ...sideAs(file[own]), path }
    if (known) {
      known.kind = 'rename'
      known[own] = entry
      return
    }
    const other = there && there.mode !== '040000' ? { [own === 'ours' ? 'theirs' : 'ours']: there } : {}
    into.conflicts.push({ path, kind: there?.mode === '040000' ? 'file/directory' : 'add/add', [own]: entry, ...other })
  }
}

/** Whether a tree has an entry at a path, or a file in place of one of the path's folders. */
export async function isTaken(tree: ReturnType<Repository['objects']['tree']>, path: string): Promise<boolean> {
  const segments = path.split('/')
  for (let depth = 1; depth < segments.length; depth++) {
    const entry = await tree.entry(segments.slice(0, depth).join('/'))
    if (entry === null) return false
    if (entry.mode !== '040000') return true
  }
  return (await tree.entry(path)) !== null
}
