// Finds pages that both sides of a merge have at the same path under different IDs. Readers see the same page, so one
// of the two IDs must win.
import { idOf, overrideKey } from '../../content/identity.js'
import type { TextWork } from '../../content/work/text-work.js'
import type { Repository } from '../../git/index.js'
import { Slices } from '../../kernel/slices.js'
import { type CommitOverrides, entriesOf, unchangedFiles } from './identity-changes.js'

/**
 * Returns the override names of files that both sides have at the same path under different IDs, if neither side has
 * the other's ID elsewhere. These are files with the same bytes, and files that no merge base has under either ID. A
 * remote that squashed or rebased an export does not know the IDs here, so it may have a page under another ID.
 */
export async function pagesOfBoth(
  work: TextWork,
  repo: Repository,
  { bases, ours, theirs }: { bases: readonly CommitOverrides[]; ours: CommitOverrides; theirs: CommitOverrides },
): Promise<ReadonlySet<string>> {
  const names = [...new Set([...ours.overrides.keys(), ...theirs.overrides.keys()])].filter(
    (name) => ours.overrides.get(name) !== theirs.overrides.get(name),
  )
  if (names.length === 0) return new Set()
  const same = new Set(await unchangedFiles(work, repo, [ours.commit, theirs.commit], names))
  const isNew = (name: string, { overrides }: CommitOverrides): boolean =>
    bases.every((base) => base.overrides.get(name) !== overrides.get(name))
  const open = names.filter((name) => same.has(name) || (isNew(name, ours) && isNew(name, theirs)))
  if (open.length === 0) return new Set()
  const [mine, other] = [await identified(work, repo, ours), await identified(work, repo, theirs)]
  const before: Identified[] = []
  for (const base of bases) before.push(await identified(work, repo, base))
  return new Set(
    open.filter((name) => {
      const [our, their] = [mine.byName.get(name), other.byName.get(name)]
      if (our === undefined || their === undefined || mine.ids.has(their) || other.ids.has(our)) return false
      return same.has(name) || !before.some(({ ids }) => ids.has(our) || ids.has(their))
    }),
  )
}

/** The entries of a commit, named like overrides, with their IDs. */
interface Identified {
  byName: ReadonlyMap<string, string>
  ids: ReadonlySet<string>
}

/** Reads the IDs of all entries of a commit. */
export async function identified(
  work: TextWork,
  repo: Repository,
  { commit, overrides }: CommitOverrides,
): Promise<Identified> {
  const [byName, identify, slices] = [new Map<string, string>(), idOf(overrides), new Slices()]
  for (const { kind, key } of await entriesOf(work, repo, (await repo.objects.commit(commit)).tree)) {
    byName.set(overrideKey(kind, key), identify(kind, key))
    if (slices.due) await slices.rest()
  }
  return { byName, ids: new Set(byName.values()) }
}
