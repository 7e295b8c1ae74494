import { type FileChange, InvalidPath, type MergeConflict, type MergeOutcome, type Repository, type TreeEntry } from '../../../git/index.js'
import type { CommitId, TreeId } from '../../../kernel/ids.js'
import type { App } from '../../context/app.js'
import { serviceSignature } from '../make-commit.js'
import type { MovedFile } from './moved-files.js'

/** A merge of which Git has done its part: what it left, in terms of the places where files are now. */
export interface Assembled {
  /** Git's tree. It may hold markers, and files at places that are only the merge's own: never to be committed as it is. */
  tree: TreeId
  conflicts: MergeConflict[]
  /** What makes of Git's tree the merged one, beside the conflicts. */
  setAside: FileChange[]
}

interface Heads {
  base: CommitId
  ours: CommitId
  theirs: CommitId
}

/** A file that all three sides have, and the place in the merge's own trees that it has on all of them. */
interface Held extends MovedFile {
  ours: TreeEntry
  theirs: TreeEntry
  at: string
}

/**
 * Merges by path what Git may merge by path, and `moved` by what it is: in trees made for the purpose each such file is at one place on
 * all three sides, so that the edit of one meets the text of the other, wherever either has put it. What one side has
 * no more is a conflict where the other one changed or moved it.
 */
export async function mergeById(app: App, repo: Repository, heads: Heads, moved: readonly MovedFile[]): Promise<Assembled> {
  const prefix = await freeName(repo, heads)
  const held = moved.flatMap(({ base, ours, theirs }, n): Held[] => (ours && theirs ? [{ base, ours, theirs, at: `${prefix}/${n}` }] : []))
  let outcome: MergeOutcome
  try {
    outcome = await mergeHeld(app, repo, heads, moved, held)
  } catch (error) {
    // Names that cannot be written are left where they are.
    if (!(error instanceof InvalidPath)) throw error
    const plain = await repo.merge(heads)
    return { tree: plain.tree, conflicts: plain.clean ? [] : plain.conflicts, setAside: plain.clean ? [] : await madeUpNames(repo, plain.tree, heads) }
  }
  const own = new Set(held.map((file) => file.at))
  const reported = outcome.clean ? [] : outcome.conflicts
  const result: Assembled = {
    tree: outcome.tree,
    conflicts: reported.filter(({ path }) => !own.has(path)),
    setAside: held.map(({ at }) => ({ path: at, delete: true })),
  }
  const placed = await putBack(repo, result, held, new Map(reported.map((one) => [one.path, one])))
  for (const file of moved) await tearAway(repo, result, file, placed)
  return result
}

async function mergeHeld(app: App, repo: Repository, heads: Heads, moved: readonly MovedFile[], held: readonly Held[]): Promise<MergeOutcome> {
  const me = serviceSignature(app)
  const write = async (side: keyof Heads, parents: CommitId[]): Promise<CommitId> => {
    const away = moved.flatMap((file): FileChange[] => (file[side] ? [{ path: file[side].path, delete: true }] : []))
    const put = held.map((file): FileChange => ({ path: file.at, oid: file[side].oid, mode: file[side].mode }))
    const { tree } = await repo.commit(heads[side])
    return repo.write({ parents, tree, changes: [...away, ...put], message: `Files of ${heads[side]} by what they are\n`, author: me, committer: me })
  }
  const base = await write('base', [])
  const sides = { ours: await write('ours', [base]), theirs: await write('theirs', [base]) }
  const outcome = await repo.merge(sides)
  if (outcome.clean) return outcome
  const changes = await madeUpNames(repo, outcome.tree, sides)
  if (changes.length === 0) return outcome
  return { ...outcome, tree: await repo.draft(outcome.tree, changes) }
}

/** Git puts a file that a folder stands in the way of beside it, as `name~<commit>`: that is nobody's name. */
export async function madeUpNames(repo: Repository, tree: TreeId, sides: { ours: CommitId; theirs: CommitId }): Promise<FileChange[]> {
  const isMadeUp = (path: string): boolean => [sides.ours, sides.theirs].some((commit) => path.includes(`~${commit}`))
  return (await repo.diff(null, tree)).filter(({ path }) => isMadeUp(path)).map(({ path }) => ({ path, delete: true as const }))
}

/** A name at the root that no side has. */
async function freeName(repo: Repository, heads: Heads): Promise<string> {
  const names = await Promise.all(Object.values(heads).map(async (commit) => (await (await repo.at(commit)).list('')) ?? []))
  const taken = new Set(names.flat().map((entry) => entry.path))
  let name = 'held-by-merge'
  while (taken.has(name)) name += '-'
  return name
}

/** The conflict about a file that one side has no more. What that side has put in its place, if anything, is what it has there. */
async function tearAway(repo: Repository, result: Assembled, { base, ours, theirs }: MovedFile, placed: ReadonlyMap<string, TreeEntry>): Promise<void> {
  const living = ours ?? theirs
  if (!living || (ours && theirs)) return
  const there = placed.get(living.path) ?? (await repo.tree(result.tree).entry(living.path))
  const other = there && there.mode !== '040000' ? there : null
  const [mine, its] = [ours ?? other, theirs ?? other]
  const kind = other || (living.oid === base.oid && living.mode === base.mode) ? 'rename' : 'modify/delete'
  result.conflicts.push({ path: living.path, kind, base, ...(mine && { ours: mine }), ...(its && { theirs: its }) })
}

/** Where the merge puts a file: where the side that moved it did; null where both did, to two places. */
function placeOf({ base, ours, theirs }: Held): string | null {
  if (ours.path === theirs.path || theirs.path === base.path) return ours.path
  return ours.path === base.path ? theirs.path : null
}

/** Gives the held files their places, where these are free, and says their conflicts in terms of them. Answers what was placed where. */
async function putBack(
  repo: Repository,
  result: Assembled,
  held: readonly Held[],
  reported: ReadonlyMap<string, MergeConflict>,
): Promise<Map<string, TreeEntry>> {
  const placed = new Map<string, TreeEntry>()
  const tree = repo.tree(result.tree)
  const wanted = new Map<string, number>()
  for (const file of held) for (const path of [placeOf(file) ?? '']) wanted.set(path, (wanted.get(path) ?? 0) + 1)
  for (const file of held) {
    const conflict = reported.get(file.at)
    const merged = conflict ? null : await tree.entry(file.at)
    const sideAs = (side: TreeEntry): TreeEntry => (merged ? { ...side, oid: merged.oid, mode: merged.mode } : side)
    const [ours, theirs] = [sideAs(file.ours), sideAs(file.theirs)]
    const path = placeOf(file)
    if (path === null) result.conflicts.push({ path: ours.path, kind: 'rename', base: file.base, ours, theirs })
    else if (wanted.get(path)! > 1 || (await isTaken(tree, path))) await collide(result, file, path, sideAs)
    else if (conflict) result.conflicts.push({ path, kind: conflict.kind, base: file.base, ours, theirs })
    else if (merged) {
      result.setAside.push({ path, oid: merged.oid, mode: merged.mode })
      placed.set(path, { ...merged, path })
    }
  }
  return placed

  async function collide(into: Assembled, file: Held, path: string, sideAs: (side: TreeEntry) => TreeEntry): Promise<void> {
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

/** Whether something stands at a path, or a file where one of its folders would have to be. */
export async function isTaken(tree: ReturnType<Repository['tree']>, path: string): Promise<boolean> {
  const segments = path.split('/')
  for (let depth = 1; depth < segments.length; depth++) {
    const entry = await tree.entry(segments.slice(0, depth).join('/'))
    if (entry === null) return false
    if (entry.mode !== '040000') return true
  }
  return (await tree.entry(path)) !== null
}
