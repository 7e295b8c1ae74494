/** Compares the ledger of the last run with the current source and the current result. */
import { required } from '../../kernel/defined.js'
import { align } from './align.js'
import { type LedgerUnit, shapeOf } from './ledger.js'
import { hashOf, sourceHash, type Unit } from './units.js'

/** The current state in the result of a unit from the last run. */
export type Fate = { now: Unit; same: boolean } | 'deleted'

interface Comparison {
  /** For each unit of the current source, the index of its unit in the ledger; -1 if it is new or changed. */
  known: number[]
  /** The state of each ledger unit in the result. */
  fates: Fate[]
  /** Units that people inserted, by the index of the preceding unit of the current source. */
  inserted: Map<number, Unit[]>
}

/** Compares source, ledger and result. `ours` contains the units of the current result. */
export function compare(source: readonly Unit[], ledger: readonly LedgerUnit[], ours: readonly Unit[]): Comparison {
  const hashes = source.map(({ core }) => sourceHash(core))
  const known = new Array<number>(source.length).fill(-1)
  const place = new Array<number>(ledger.length).fill(-1)
  const settle = (i: number, j: number): void => {
    place[i] = j
    known[j] = i
  }
  for (const [i, j] of align(
    ledger.map((unit) => unit.source),
    hashes,
  ))
    settle(i, j)
  for (const [i, j] of moved(ledger, hashes, place, known)) settle(i, j)
  const { fates, behind: insertedAfter } = fatesOf(ledger, ours)
  return { known, fates, inserted: placeInserted(insertedAfter, place, source) }
}

/** Pairs units with the same source that are now at another position, in order. */
function moved(
  ledger: readonly LedgerUnit[],
  hashes: readonly string[],
  place: readonly number[],
  known: readonly number[],
): [number, number][] {
  const waiting = new Map<string, number[]>()
  ledger.forEach((unit, i) => {
    if (place[i] === -1) waiting.set(unit.source, [...(waiting.get(unit.source) ?? []), i])
  })
  return hashes.flatMap((hash, j): [number, number][] => {
    const i = known[j] === -1 ? waiting.get(hash)?.shift() : undefined
    return i === undefined ? [] : [[i, j]]
  })
}

/** Returns the state of each written unit in the result, and the units that people inserted after it. */
function fatesOf(ledger: readonly LedgerUnit[], ours: readonly Unit[]): { fates: Fate[]; behind: Map<number, Unit[]> } {
  const fates = new Array<Fate>(ledger.length).fill('deleted')
  const insertedAfter = new Map<number, Unit[]>()
  const same = align(
    ledger.map(({ written }) => written),
    ours.map(({ core }) => hashOf(core)),
  )
  let [i, k] = [0, 0]
  for (const [toI, toK] of [...same, [ledger.length, ours.length] as const]) {
    const paired = pair(ledger.slice(i, toI), ours.slice(k, toK))
    let at = i - 1
    for (let n = k; n < toK; n++) {
      const own = paired.get(n - k)
      const now = required(ours[n])
      if (own === undefined) insertedAfter.set(at, [...(insertedAfter.get(at) ?? []), now])
      else {
        at = i + own
        fates[at] = { now, same: false }
      }
    }
    if (toI < ledger.length) fates[toI] = { now: required(ours[toK]), same: true }
    i = toI + 1
    k = toK + 1
  }
  return { fates, behind: insertedAfter }
}

/** Pairs rewritten units with the units that were written: index in `ours` → index in `written`. */
function pair(written: readonly LedgerUnit[], ours: readonly Unit[]): Map<number, number> {
  if (written.length === ours.length) return new Map(ours.map((_, index) => [index, index]))
  const shapes = align(
    written.map(({ shape }) => shape),
    ours.map(({ core }) => shapeOf(core)),
  )
  return new Map(shapes.map(([i, k]) => [k, i]))
}

/**
 * Moves inserted units to the current source: after the unit that they followed in the ledger, or at its former
 * position.
 */
function placeInserted(
  insertedAfter: ReadonlyMap<number, Unit[]>,
  place: readonly number[],
  source: readonly Unit[],
): Map<number, Unit[]> {
  const found = new Map<number, Unit[]>()
  for (const [i, units] of [...insertedAfter].sort((a, b) => a[0] - b[0])) {
    let before = i
    while (before >= 0 && place[before] === -1) before--
    const start = before < 0 ? 0 : required(place[before])
    let after = i + 1
    while (after < place.length && place[after] === -1) after++
    const end = after < place.length && required(place[after]) > start ? required(place[after]) : source.length
    // A changed unit keeps its distance from the last unchanged one.
    const at = afterNested(units, source, Math.max(start, Math.min(start + (i - Math.max(before, 0)), end - 1)))
    found.set(at, [...(found.get(at) ?? []), ...units])
  }
  return found
}

const indentOf = (core: string): number => core.length - core.trimStart().length

/** Returns the position for an inserted list item: after the items that are now nested in the preceding item. */
function afterNested(units: readonly Unit[], source: readonly Unit[], at: number): number {
  const first = units[0]?.core ?? ''
  if (!/^\s*(?:[*+-]|\d+[.)])\s/.test(first)) return at
  let last = at
  while (source[last + 1] && indentOf(required(source[last + 1]).core) > indentOf(first)) last++
  return last
}
