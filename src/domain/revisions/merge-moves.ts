// Corrects page IDs after a merge by people that moved pages: a resolver's choice, a folder that Git detected as
// renamed, or a page in the place of another.
import { required } from '../../kernel/defined.js'
import { defaultId, type EntryKey, type IdOverrides, idOf, overrideKey } from '../../content/identity.js'
import type { TextWork } from '../../content/work/text-work.js'
import type { Repository, Snapshot, TreeChange } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { Slices } from '../../kernel/slices.js'
import { fileMoves, RevisionFiles } from './file-moves.js'
import { entriesOfFiles } from './identity-changes.js'

interface Parent {
  commit: CommitId
  overrides: IdOverrides
}

/** The renames from a parent to the merge, and whether the bytes stayed equal. */
interface ParentMoves {
  renames: { from: string; path: string; isExact: boolean }[]
  /** Returns the kind and ID of the entry at a path of the parent. */
  idAt: (path: string) => { kind: EntryKey['kind']; id: string }
}

/**
 * Returns the overrides of a merge commit, given the overrides by path (`merged`). A file at a path that no parent has
 * is compared with the files of each parent, in order. It gets the ID of the page that matches by bytes, title or text,
 * unless another file of the merge has that ID. The same applies to a file at a path where every parent has another
 * one, if its bytes match a page elsewhere.
 */
export async function withMovesOfMerge(
  work: TextWork,
  repo: Repository,
  merged: IdOverrides,
  commit: CommitId,
  parents: readonly Parent[],
): Promise<IdOverrides> {
  const diffs = await Promise.all(parents.map((parent) => repo.trees.diff(parent.commit, commit)))
  const inAll = (status: TreeChange['status']): Set<string> => {
    const [first = [], ...others] = diffs.map(
      (diff) => new Set(diff.filter((change) => change.status === status).map(({ path }) => path)),
    )
    return new Set([...first].filter((path) => others.every((paths) => paths.has(path))))
  }
  const [fresh, rewritten] = [inAll('added'), inAll('modified')]
  if (fresh.size === 0) return merged
  const now = await repo.objects.snapshot(commit)
  const entryIn = await entriesOfFiles(work, now)
  const all: ParentMoves[] = []
  for (const [at, parent] of parents.entries()) all.push(await movesOf(work, repo, parent, now, diffs[at] ?? []))
  const moved = new Map<string, string>()
  const give = (paths: ReadonlySet<string>, used: Set<string>, isEnough: (isExact: boolean) => boolean): void => {
    for (const { renames, idAt } of all)
      for (const { from, path, isExact } of renames) {
        const [{ kind, id }, is] = [idAt(from), entryIn(path)]
        const name = overrideKey(is.kind, is.key)
        if (!paths.has(path) || !isEnough(isExact) || kind !== is.kind || used.has(id) || moved.has(name)) continue
        used.add(id)
        moved.set(name, id)
      }
  }
  give(rewritten, await idsExcept(now, merged, entryIn, fresh), (isExact) => isExact)
  const others = new Set(
    [...rewritten].filter((path) => moved.has(overrideKey(entryIn(path).kind, entryIn(path).key))).concat([...fresh]),
  )
  const used = await idsExcept(now, merged, entryIn, others)
  for (const id of moved.values()) used.add(id)
  give(fresh, used, () => true)
  return withMoved(
    merged,
    moved,
    new Map([...others].map((path) => [overrideKey(entryIn(path).kind, entryIn(path).key), entryIn(path)])),
  )
}

async function movesOf(
  work: TextWork,
  repo: Repository,
  parent: Parent,
  now: Snapshot,
  diff: readonly TreeChange[],
): Promise<ParentMoves> {
  const old = await repo.objects.snapshot(parent.commit)
  const entryBefore = await entriesOfFiles(work, old)
  const identify = idOf(parent.overrides)
  const before = new Map(diff.map((change) => [change.path, change.before?.oid]))
  const moves = await fileMoves(repo, new RevisionFiles(old, work), new RevisionFiles(now, work), diff)
  return {
    renames: moves.flatMap(({ status, from, path, after }) =>
      status === 'renamed' && from !== undefined ? [{ from, path, isExact: before.get(from) === after?.oid }] : [],
    ),
    idAt: (path) => {
      const { kind, key } = entryBefore(path)
      return { kind, id: identify(kind, key) }
    },
  }
}

/** Returns the IDs of all files except the new ones. */
async function idsExcept(
  files: Snapshot,
  overrides: IdOverrides,
  entryIn: (path: string) => EntryKey,
  fresh: ReadonlySet<string>,
): Promise<Set<string>> {
  const identify = idOf(overrides)
  const [used, slices] = [new Set<string>(), new Slices()]
  for (const { path } of await files.walk()) {
    if (!fresh.has(path)) used.add(identify(entryIn(path).kind, entryIn(path).key))
    if (slices.due) await slices.rest()
  }
  return used
}

/** Adds the IDs of moved files to the overrides. Other overrides with these IDs are removed. */
function withMoved(
  overrides: IdOverrides,
  moved: ReadonlyMap<string, string>,
  named: ReadonlyMap<string, EntryKey>,
): IdOverrides {
  if (moved.size === 0) return overrides
  const ids = new Set(moved.values())
  const result = new Map([...overrides].filter(([, id]) => !ids.has(id)))
  for (const [name, id] of moved) {
    const { kind, key } = required(named.get(name))
    if (id === defaultId(kind, key)) result.delete(name)
    else result.set(name, id)
  }
  return result
}
