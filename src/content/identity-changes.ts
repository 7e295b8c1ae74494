/** Updates page IDs for a commit: added, renamed and deleted entries get, keep or lose their IDs. */
import { atOnce, sortInSteps } from '../kernel/slices.js'
import {
  compareEntries,
  defaultId,
  type EntryKey,
  entryOfOverride,
  type IdOverrides,
  idOf,
  overrideKey,
  saltedId,
} from './identity.js'
import type { EntryKind } from './types.js'

export interface EntryChanges {
  added: readonly EntryKey[]
  deleted: readonly EntryKey[]
  renamed: ReadonlyArray<{ kind: EntryKind; from: string; to: string }>
}

/** Whether an entry exists after the changes. */
type Exists = (kind: EntryKind, key: string) => boolean

/** Overrides that are being changed, with an index from each ID to the entry that has it. */
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

  /** Assigns the ID to `entry`. Drops a tombstone (a deleted entry's override) that had the ID. */
  give(entry: EntryKey, id: string): void {
    const name = overrideKey(entry.kind, entry.key)
    this.forget(name)
    const before = this.#holder.get(id)
    if (before !== undefined) this.forget(before)
    if (id !== defaultId(entry.kind, entry.key)) this.#put(name, id)
  }

  /** Returns the entry that has an override to this ID; null if there is none. */
  holderOf(id: string): string | null {
    return this.#holder.get(id) ?? null
  }
}

/**
 * Assigns `entry` its own ID (override, else default). If another existing entry has that ID, assigns the first salted
 * ID that is free.
 */
function settle(table: OverrideTable, entry: EntryKey, exists: Exists): void {
  const name = overrideKey(entry.kind, entry.key)
  const own = table.map.get(name) ?? defaultId(entry.kind, entry.key)
  for (let salt = 0, id = own; ; id = saltedId(entry.kind, entry.key, ++salt)) {
    const holder = table.holderOf(id)
    const other = holder === null || holder === name ? null : entryOfOverride(holder)
    if (other && exists(other.kind, other.key)) continue
    table.give(entry, id)
    return
  }
}

/**
 * Returns the overrides after a commit. A renamed entry keeps its ID, also in swaps and chains. An added entry gets its
 * own ID back unless another existing entry has it. A deleted entry keeps its override as a tombstone until the ID is
 * taken. `exists` refers to the revision after the changes. Two existing entries never share an ID.
 */
export const applyChanges = (overrides: IdOverrides, changes: EntryChanges, exists: Exists): Map<string, string> =>
  atOnce(applyInSteps(overrides, changes, exists))

/** Applies changes like `applyChanges`, one step per entry, for many entries. */
export function* applyInSteps(
  overrides: IdOverrides,
  changes: EntryChanges,
  exists: Exists,
): Generator<void, Map<string, string>> {
  const table = new OverrideTable(overrides)
  const before = idOf(table.map)
  const targets = new Set<string>()
  const sources = new Set<string>()
  const arriving = new Set<string>()
  for (const { kind, key } of changes.added) {
    arriving.add(overrideKey(kind, key))
    yield
  }
  for (const { kind, to } of changes.renamed) {
    arriving.add(overrideKey(kind, to))
    yield
  }
  const carried: Array<{ entry: EntryKey; id: string }> = []
  const added = [...changes.added]
  for (const { kind, from, to } of yield* sortInSteps(changes.renamed, (a, b) =>
    compareEntries({ kind: a.kind, key: a.to }, { kind: b.kind, key: b.to }),
  )) {
    const source = overrideKey(kind, from)
    const target = overrideKey(kind, to)
    if (targets.has(target)) continue
    // If the source still exists, the entry was copied, not renamed.
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
  for (const source of sources) table.forget(source)
  for (const { entry, id } of carried) {
    table.give(entry, id)
    yield
  }
  for (const entry of yield* sortInSteps(added, compareEntries)) {
    if (exists(entry.kind, entry.key) && !targets.has(overrideKey(entry.kind, entry.key))) settle(table, entry, exists)
    yield
  }
  return table.map
}

/** Makes the IDs of all existing entries unique. An override wins over a default; otherwise the entry that sorts first wins. */
export const repairOverrides = (overrides: IdOverrides, existing: Iterable<EntryKey>): Map<string, string> =>
  atOnce(repairInSteps(overrides, existing))

export function* repairInSteps(
  overrides: IdOverrides,
  existing: Iterable<EntryKey>,
): Generator<void, Map<string, string>> {
  const entries = [...existing]
  const names = new Set<string>()
  for (const { kind, key } of entries) {
    names.add(overrideKey(kind, key))
    yield
  }
  return yield* settleAll(overrides, entries, (kind, key) => names.has(overrideKey(kind, key)))
}

/** Gives each entry without an override its own ID, or a free one, in the order of the entries. */
export function* settleAll(
  overrides: IdOverrides,
  entries: readonly EntryKey[],
  exists: Exists,
): Generator<void, Map<string, string>> {
  const table = new OverrideTable(overrides)
  for (const entry of yield* sortInSteps(entries, compareEntries)) {
    if (!table.map.has(overrideKey(entry.kind, entry.key))) settle(table, entry, exists)
    yield
  }
  return table.map
}
