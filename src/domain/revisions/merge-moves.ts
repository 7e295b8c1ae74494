// Page IDs after a merge of people that put a page at a path which neither side had: a resolver's choice, or a folder that Git found renamed.
import { readConfig } from '../../content/config.js'
import { defaultId, type EntryKey, type IdOverrides, idOf, overrideKey } from '../../content/identity.js'
import { kindOfPath } from '../../content/known-files.js'
import { keyBelow } from '../../content/paths.js'
import type { TextWork } from '../../content/work/text-work.js'
import type { Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { Slices } from '../../kernel/slices.js'
import { fileMoves, RevisionFiles } from './file-moves.js'

interface Parent {
  commit: CommitId
  overrides: IdOverrides
}

/**
 * The overrides of a merge commit (`merged`: as its parents' IDs say by path), with the IDs of pages that it put elsewhere. A file at a path that no
 * parent has is compared with what each parent had, the first one first. It gets the ID of the page that it is by bytes, title or text, if no other file of
 * the merge has that ID.
 */
export async function withMovesOfMerge(
  work: TextWork,
  repo: Repository,
  merged: IdOverrides,
  commit: CommitId,
  parents: readonly Parent[],
): Promise<IdOverrides> {
  const diffs = await Promise.all(parents.map((parent) => repo.diff(parent.commit, commit)))
  const [first = [], ...others] = diffs.map((diff) => diff.filter((change) => change.status === 'added').map(({ path }) => path))
  const fresh = new Set(first.filter((path) => others.every((added) => added.includes(path))))
  if (fresh.size === 0) return merged
  const now = await repo.at(commit)
  const entryIn = await entries(work, now)
  const used = await idsBeside(now, merged, entryIn, fresh)
  const moved = new Map<string, string>()
  for (const [at, parent] of parents.entries()) {
    const old = await repo.at(parent.commit)
    const entryBefore = await entries(work, old)
    const identify = idOf(parent.overrides)
    for (const { status, from, path } of await fileMoves(repo, new RevisionFiles(old, work), new RevisionFiles(now, work), diffs[at] ?? [])) {
      if (status !== 'renamed' || from === undefined || !fresh.has(path)) continue
      const [was, is] = [entryBefore(from), entryIn(path)]
      const id = identify(was.kind, was.key)
      const name = overrideKey(is.kind, is.key)
      if (was.kind !== is.kind || used.has(id) || moved.has(name)) continue
      used.add(id)
      moved.set(name, id)
    }
  }
  return withMoved(merged, moved, new Map([...fresh].map((path) => [overrideKey(entryIn(path).kind, entryIn(path).key), entryIn(path)])))
}

/** Tells the entry of a path of a commit. */
async function entries(work: TextWork, files: Awaited<ReturnType<Repository['at']>>): Promise<(path: string) => EntryKey> {
  const { root } = (await readConfig(files, work)).config
  return (path) => ({ kind: kindOfPath(keyBelow(root, path)), key: keyBelow(root, path) })
}

/** The IDs of all files but the fresh ones. */
async function idsBeside(
  files: Awaited<ReturnType<Repository['at']>>,
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
function withMoved(overrides: IdOverrides, moved: ReadonlyMap<string, string>, named: ReadonlyMap<string, EntryKey>): IdOverrides {
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
