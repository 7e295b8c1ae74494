import { atOnce } from '../kernel/slices.js'
import { compareEntries, defaultId, type EntryKey, entryOfOverride, type IdOverrides, idOf, overrideKey, saltedId } from './identity.js'
import type { EntryKind } from './types.js'

export interface EntryChanges {
  added: readonly EntryKey[]
  deleted: readonly EntryKey[]
  renamed: ReadonlyArray<{ kind: EntryKind; from: string; to: string }>
}

/** Whether an entry is there after the changes. */
export type Exists = (kind: EntryKind, key: string) => boolean

/** Overrides that are being changed, with the entry that holds each ID. */
class OverrideTable {
  readonly map: Map<string, string>
  readonly #holder = new Map<string, string>()

  constructor(overrides: IdOverrides) {
    this.map = new Map()
    for (const [name, id] of overrides) if (!this.#holder.has(id)) this.#put(name, id)
  }

  #put(name: string, id: string): void {
    this.map.set(name, id)
    this.#holder.set(id, name)
  }

  forget(name: string): void {
    const id = this.map.get(name)
    if (id === undefined) return
    this.map.delete(name)
    if (this.#holder.get(id) === name) this.#holder.delete(id)
  }

  /** Gives `entry` the ID. Whoever held it as a tombstone loses it. */
  give(entry: EntryKey, id: string): void {
    const name = overrideKey(entry.kind, entry.key)
    this.forget(name)
    const before = this.#holder.get(id)
    if (before !== undefined) this.forget(before)
    if (id !== defaultId(entry.kind, entry.key)) this.#put(name, id)
  }

  /** The entry that has an override to this ID, or null. */
  holderOf(id: string): string | null {
    return this.#holder.get(id) ?? null
  }
}

/** Gives `entry` its own ID (override, else default) or, where another entry that exists has it, the first salted one that is free. */
function settle(draft: OverrideTable, entry: EntryKey, exists: Exists): void {
  const name = overrideKey(entry.kind, entry.key)
  const own = draft.map.get(name) ?? defaultId(entry.kind, entry.key)
  for (let salt = 0, id = own; ; id = saltedId(entry.kind, entry.key, ++salt)) {
    const holder = draft.holderOf(id)
    const other = holder === null || holder === name ? null : entryOfOverride(holder)
    if (other && exists(other.kind, other.key)) continue
    draft.give(entry, id)
    return
  }
}

/**
 * The overrides after a commit. A rename carries the ID (swaps and chains too). What is added takes its own ID back
 * unless another entry that exists has it. What is deleted keeps its override as a tombstone, until the ID is taken.
 * `exists` answers for the state after the changes. No two entries that exist ever share an ID.
 */
export const applyChanges = (overrides: IdOverrides, changes: EntryChanges, exists: Exists): Map<string, string> =>
  atOnce(applyInSteps(overrides, changes, exists))

/** `applyChanges` of many entries, one step each. */
export function* applyInSteps(overrides: IdOverrides, changes: EntryChanges, exists: Exists): Generator<void, Map<string, string>> {
  const draft = new OverrideTable(overrides)
  const before = idOf(draft.map)
  const targets = new Set<string>()
  const sources = new Set<string>()
  const arriving = new Set([...changes.added, ...changes.renamed.map(({ kind, to }) => ({ kind, key: to }))].map(({ kind, key }) => overrideKey(kind, key)))
  const carried: Array<{ entry: EntryKey; id: string }> = []
  const added = [...changes.added]
  for (const { kind, from, to } of [...changes.renamed].sort((a, b) => compareEntries({ kind: a.kind, key: a.to }, { kind: b.kind, key: b.to }))) {
    const source = overrideKey(kind, from)
    const target = overrideKey(kind, to)
    if (targets.has(target)) continue
    // A source that stays where it was has been copied, not renamed.
    const stays = exists(kind, from) && !arriving.has(source)
    if (sources.has(source) || stays || !exists(kind, to)) {
      added.push({ kind, key: to })
      continue
    }
    targets.add(target)
    sources.add(source)
    carried.push({ entry: { kind, key: to }, id: before(kind, from) })
    yield
  }
  for (const source of sources) draft.forget(source)
  for (const { entry, id } of carried) {
    draft.give(entry, id)
    yield
  }
  for (const entry of added.sort(compareEntries)) {
    if (exists(entry.kind, entry.key) && !targets.has(overrideKey(entry.kind, entry.key))) settle(draft, entry, exists)
    yield
  }
  return draft.map
}

/** Makes the IDs of all entries that exist unique: an override outranks a default, then the order of entries decides. */
export const repairOverrides = (overrides: IdOverrides, existing: Iterable<EntryKey>): Map<string, string> => atOnce(repairInSteps(overrides, existing))

function repairInSteps(overrides: IdOverrides, existing: Iterable<EntryKey>): Generator<void, Map<string, string>> {
  const entries = [...existing]
  const names = new Set(entries.map(({ kind, key }) => overrideKey(kind, key)))
  return settleAll(overrides, entries, (kind, key) => names.has(overrideKey(kind, key)))
}

function* settleAll(overrides: IdOverrides, entries: EntryKey[], exists: Exists): Generator<void, Map<string, string>> {
  const draft = new OverrideTable(overrides)
  for (const entry of entries.sort(compareEntries)) {
    if (!draft.map.has(overrideKey(entry.kind, entry.key))) settle(draft, entry, exists)
    yield
  }
  return draft.map
}

/** Which side says an entry's ID: the only one that has a file at its path, or whose very file the merged tree has there; null = both, or neither. */
export type SideOf = (name: string) => 'ours' | 'theirs' | null

interface Claim {
  name: string
  id: string
  /** What the other side says, for when the ID is another entry's. */
  otherwise: string | undefined
  /** The lower, the surer. */
  rank: number
}

/**
 * Merges the overrides of two sides, entry by entry. An ID goes with the file: the side of which it is says it; else the side that
 * changed it wins, ours where both did. Where two entries then claim one ID, the surer keeps it (an existing entry before
 * a tombstone; a file that is one side's; what one side alone changed; ours), and the other takes what its other
 * side says. With `existing` (all entries of the merged tree) no two of them share an ID, defaults included. `reserved` are IDs
 * that entries have by default and keep, whoever else claims them.
 */
export const mergeOverrides = (
  base: IdOverrides,
  ours: IdOverrides,
  theirs: IdOverrides,
  existing?: Iterable<EntryKey>,
  sideOf?: SideOf,
): Map<string, string> => atOnce(mergeOverridesInSteps(base, ours, theirs, existing, sideOf))

/** `mergeOverrides` of many entries, step by step. */
export function* mergeOverridesInSteps(
  base: IdOverrides,
  ours: IdOverrides,
  theirs: IdOverrides,
  existing?: Iterable<EntryKey>,
  sideOf: SideOf = () => null,
  reserved: ReadonlySet<string> = new Set(),
): Generator<void, Map<string, string>> {
  const alive = existing === undefined ? null : [...existing]
  const live = alive && new Set(alive.map(({ kind, key }) => overrideKey(kind, key)))
  const names = [...new Set([...base.keys(), ...ours.keys(), ...theirs.keys()])]
  const claims = names.flatMap((name) => claimOf(name, base.get(name), ours.get(name), theirs.get(name), live?.has(name) ?? true, sideOf))
  claims.sort((a, b) => a.rank - b.rank || compareEntries(entryOfOverride(a.name), entryOfOverride(b.name)))
  const draft = new Map<string, string>()
  const used = new Set<string>()
  const losers: Claim[] = []
  const give = (name: string, id: string | undefined): boolean => {
    if (id === undefined || used.has(id) || (reserved.has(id) && !isDefault(name, id))) return false
    used.add(id)
    draft.set(name, id)
    return true
  }
  yield
  for (const claim of claims) if (!give(claim.name, claim.id)) losers.push(claim)
  const left = losers.filter(({ name, otherwise }) => !give(name, otherwise)).map(({ name }) => entryOfOverride(name))
  for (const [name, id] of draft) if (isDefault(name, id)) draft.delete(name)
  yield
  return yield* alive ? repairInSteps(draft, alive) : settleAll(draft, left, () => true)
}

function claimOf(name: string, base: string | undefined, ours: string | undefined, theirs: string | undefined, alive: boolean, sideOf: SideOf): Claim[] {
  const owner = ours === theirs || !alive ? null : sideOf(name)
  const side = owner ?? (ours === base ? 'theirs' : 'ours')
  const [said, other] = side === 'ours' ? [ours, theirs] : [theirs, ours]
  const { kind, key } = entryOfOverride(name)
  const id = said ?? (owner ? defaultId(kind, key) : undefined)
  if (id === undefined) return []
  const contested = ours !== base && theirs !== base && ours !== theirs
  const rank = (alive ? 0 : 8) + (owner ? 0 : 4) + (contested ? 2 : 0) + (ours === id ? 0 : 1)
  return [{ name, id, otherwise: contested ? other : undefined, rank }]
}

const isDefault = (name: string, id: string): boolean => {
  const { kind, key } = entryOfOverride(name)
  return id === defaultId(kind, key)
}

/**
 * The overrides where the tree of one side is taken as it is, over that of `left`: its own for all that exists. What is gone keeps
 * the ID that either knows for it, unless that is in use.
 */
export function takeOverrides(taken: IdOverrides, left: IdOverrides, existing: Iterable<EntryKey>): Map<string, string> {
  const entries = [...existing]
  const live = new Set(entries.map(({ kind, key }) => overrideKey(kind, key)))
  const tombstones = new Map([...left].filter(([name]) => !live.has(name)))
  return mergeOverrides(new Map(), taken, tombstones, entries)
}
