// Merges page IDs (three-way merge).
import { atOnce } from '../kernel/slices.js'
import {
  compareEntries,
  defaultId,
  type EntryKey,
  entryOfOverride,
  type IdOverrides,
  isDefaultId,
  overrideKey,
} from './identity.js'
import { repairInSteps, settleAll } from './identity-changes.js'

/** The overrides of a merge's three versions. */
interface OverrideSides {
  base: IdOverrides
  ours: IdOverrides
  theirs: IdOverrides
}

/**
 * Returns the side that decides an entry's ID: the only side that has a file at its path, or the side whose file the
 * merged tree contains there. null = both or neither.
 */
export type SideOf = (name: string) => 'ours' | 'theirs' | null

interface MergeOptions {
  /** All entries of the merged tree. No two of them will share an ID, including default IDs. */
  existing?: Iterable<EntryKey>
  sideOf?: SideOf
  /** Default IDs that their entries keep, even if another entry claims them. */
  reserved?: ReadonlySet<string>
}

interface Claim {
  name: string
  id: string
  /** The ID of the other side, which is used if `id` goes to another entry. */
  otherwise: string | undefined
  /** The claim with the lower rank wins. */
  rank: number
}

/**
 * Merges the overrides of two sides, entry by entry. An ID follows its file: the side that the file comes from decides.
 * Otherwise the side that changed the ID wins, and our side if both did. If two entries then claim one ID, the better
 * claim keeps it, and the other entry gets its ID from the other side. An existing entry comes before a tombstone, then
 * a file of one side only, then an ID that only one side changed, then our side.
 */
export const mergeOverrides = (sides: OverrideSides, options: MergeOptions = {}): Map<string, string> =>
  atOnce(mergeOverridesInSteps(sides, options))

/** Merges overrides like `mergeOverrides`, in steps, for many entries. */
export function* mergeOverridesInSteps(
  sides: OverrideSides,
  { existing, sideOf = () => null, reserved = new Set() }: MergeOptions = {},
): Generator<void, Map<string, string>> {
  const existingEntries = existing === undefined ? null : [...existing]
  const live = existingEntries && new Set(existingEntries.map(({ kind, key }) => overrideKey(kind, key)))
  const names = [...new Set([...sides.base.keys(), ...sides.ours.keys(), ...sides.theirs.keys()])]
  const claims = names.flatMap((name) => claimOf(name, sides, live?.has(name) ?? true, sideOf))
  claims.sort((a, b) => a.rank - b.rank || compareEntries(entryOfOverride(a.name), entryOfOverride(b.name)))
  const merged = new Map<string, string>()
  const used = new Set<string>()
  const losers: Claim[] = []
  const give = (name: string, id: string | undefined): boolean => {
    if (id === undefined || used.has(id) || (reserved.has(id) && !isDefaultId(name, id))) return false
    used.add(id)
    merged.set(name, id)
    return true
  }
  yield
  for (const claim of claims) if (!give(claim.name, claim.id)) losers.push(claim)
  const left = losers
    .filter(({ name, otherwise: alternative }) => !give(name, alternative))
    .map(({ name }) => entryOfOverride(name))
  for (const [name, id] of merged) if (isDefaultId(name, id)) merged.delete(name)
  yield
  return yield* existingEntries ? repairInSteps(merged, existingEntries) : settleAll(merged, left, () => true)
}

function claimOf(name: string, sides: OverrideSides, existingEntries: boolean, sideOf: SideOf): Claim[] {
  const [base, ours, theirs] = [sides.base.get(name), sides.ours.get(name), sides.theirs.get(name)]
  const owner = ours === theirs || !existingEntries ? null : sideOf(name)
  const side = owner ?? (ours === base ? 'theirs' : 'ours')
  const [chosen, other] = side === 'ours' ? [ours, theirs] : [theirs, ours]
  const { kind, key } = entryOfOverride(name)
  const id = chosen ?? (owner ? defaultId(kind, key) : undefined)
  if (id === undefined) return []
  const contested = ours !== base && theirs !== base && ours !== theirs
  const rank = (existingEntries ? 0 : 8) + (owner ? 0 : 4) + (contested ? 2 : 0) + (ours === id ? 0 : 1)
  return [{ name, id, otherwise: contested ? other : undefined, rank }]
}

/**
 * Returns the overrides of a merge that takes the tree of one side (`taken`) and drops the tree of the other. Existing
 * entries keep their IDs in `taken`. Removed entries keep the ID that either side has for them, unless it is in use.
 */
export function takeOverrides(
  taken: IdOverrides,
  left: IdOverrides,
  existing: Iterable<EntryKey>,
): Map<string, string> {
  const entries = [...existing]
  const live = new Set(entries.map(({ kind, key }) => overrideKey(kind, key)))
  const tombstones = new Map([...left].filter(([name]) => !live.has(name)))
  return mergeOverrides({ base: new Map(), ours: taken, theirs: tombstones }, { existing: entries })
}

/** Returns `taken` with the IDs that `left` has for the entries in `names`. Other entries in `taken` lose these IDs. */
export function keepIds(taken: IdOverrides, left: IdOverrides, names: readonly string[]): IdOverrides {
  if (names.length === 0) return taken
  const kept = new Map(taken)
  const ids = new Set<string>()
  for (const name of names) {
    const { kind, key } = entryOfOverride(name)
    ids.add(left.get(name) ?? defaultId(kind, key))
    kept.delete(name)
  }
  for (const [name, id] of kept) if (ids.has(id)) kept.delete(name)
  for (const name of names) {
    const id = left.get(name)
    if (id !== undefined) kept.set(name, id)
  }
  return kept
}
