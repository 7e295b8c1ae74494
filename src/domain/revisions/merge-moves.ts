// Page IDs after a merge of people that put a page elsewhere than by path alone: a resolver's choice, a folder that Git found renamed, a page in another one's place.
import { readConfig } from '../../content/config.js'
import { defaultId, type EntryKey, type IdOverrides, idOf, overrideKey } from '../../content/identity.js'
import { kindOfPath } from '../../content/known-files.js'
import { keyBelow } from '../../content/paths.js'
import type { TextWork } from '../../content/work/text-work.js'
import type { Repository, Snapshot, TreeChange } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { Slices } from '../../kernel/slices.js'
import { fileMoves, RevisionFiles } from './file-moves.js'

interface Parent {
  commit: CommitId
  overrides: IdOverrides
}

/** A parent's files as the merge moved them: renames, with whether the bytes stayed as they were. */
interface ParentMoves {
  renames: { from: string; path: string; isExact: boolean }[]
  /** The ID of the page or file that the parent has at a path, and its entry. */
  idAt: (path: string) => { kind: EntryKey['kind']; id: string }
}

/**
 * The overrides of a merge commit (`merged`: as its parents' IDs say by path), with the IDs of pages that it put elsewhere. A file at a path that no
 * parent has is compared with what each parent had, the first one first. It gets the ID of the page that it is by bytes, title or text, if no other file of
 * the merge has that ID. So does a file at a path where every parent has another one, if its bytes are those of a page elsewhere.
 */
export async function withMovesOfMerge(
  work: TextWork,
  repo: Repository,
  merged: IdOverrides,
  commit: CommitId,
  parents: readonly Parent[],
): Promise<IdOverrides> {
  const diffs = await Promise.all(parents.map((parent) => repo.diff(parent.commit, commit)))
  const inAll = (status: TreeChange['status']): Set<string> => {
    const [first = [], ...others] = diffs.map(
      (diff) => new Set(diff.filter((change) => change.status === status).map(({ path }) => path)),
    )
    return new Set([...first].filter((path) => others.every((paths) => paths.has(path))))
  }
  const [fresh, rewritten] = [inAll('added'), inAll('modified')]
  if (fresh.size === 0) return merged
  const now = await repo.at(commit)
  const entryIn = await entries(work, now)
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
  give(rewritten, await idsBeside(now, merged, entryIn, fresh), (isExact) => isExact)
  const others = new Set(
    [...rewritten].filter((path) => moved.has(overrideKey(entryIn(path).kind, entryIn(path).key))).concat([...fresh]),
  )
  const used = await idsBeside(now, merged, entryIn, others)
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
  const old = await repo.at(parent.commit)
  const entryBefore = await entries(work, old)
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

/** Tells the entry of a path of a commit. */
async function entries(work: TextWork, files: Snapshot): Promise<(path: string) => EntryKey> {
  const { root } = (await readConfig(files, work)).config
  return (path) => ({ kind: kindOfPath(keyBelow(root, path)), key: keyBelow(root, path) })
}

/** The IDs of all files but the fresh ones. */
async function idsBeside(
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

/** The overrides with those of moved files. What else had one of their IDs is gone. */
function withMoved(
  overrides: IdOverrides,
  moved: ReadonlyMap<string, string>,
  named: ReadonlyMap<string, EntryKey>,
): IdOverrides {
  if (moved.size === 0) return overrides
  const ids = new Set(moved.values())
  const result = new Map([...overrides].filter(([, id]) => !ids.has(id)))
  for (const [name, id] of moved) {
    const { kind, key } = named.get(name) as EntryKey
    if (id === defaultId(kind, key)) result.delete(name)
    else result.set(name, id)
  }
  return result
}
