/** Compares the ledger of the last run with the source now and with the result now. */
import { align } from './align.js'
import { type LedgerUnit, shapeOf } from './ledger.js'
import { hashOf, sourceHash, type Unit } from './units.js'

/** What became of a unit of the last run in the result. */
export type Fate = { now: Unit; same: boolean } | 'deleted'

interface Comparison {
  /** For each unit of the source now: the index of its unit in the ledger; -1 if it is new or changed. */
  known: number[]
  /** For each unit of the ledger. */
  fates: Fate[]
  /** For each unit of the source now: units that people put behind it. */
  inserted: Map<number, Unit[]>
}

/** Compares the three. `ours`: the units of the result now. */
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
  const { fates, behind } = fatesOf(ledger, ours)
  return { known, fates, inserted: placed(behind, place, source) }
}

/** Units with the same source that stand at another place now, in order. */
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

/** What became of each unit that was written, and what people put behind it. */
function fatesOf(ledger: readonly LedgerUnit[], ours: readonly Unit[]): { fates: Fate[]; behind: Map<number, Unit[]> } {
  const fates = new Array<Fate>(ledger.length).fill('deleted')
  const behind = new Map<number, Unit[]>()
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
      const now = ours[n] as Unit
      if (own === undefined) behind.set(at, [...(behind.get(at) ?? []), now])
      else {
        at = i + own
        fates[at] = { now, same: false }
      }
    }
    if (toI < ledger.length) fates[toI] = { now: ours[toK] as Unit, same: true }
    i = toI + 1
    k = toK + 1
  }
  return { fates, behind }
}

/** Which of some rewritten units is which of those that were written: index in `ours` → index in `written`. */
function pair(written: readonly LedgerUnit[], ours: readonly Unit[]): Map<number, number> {
  if (written.length === ours.length) return new Map(ours.map((_, index) => [index, index]))
  const shapes = align(
    written.map(({ shape }) => shape),
    ours.map(({ core }) => shapeOf(core)),
  )
  return new Map(shapes.map(([i, k]) => [k, i]))
}

/** Moves what was put behind units of the ledger behind the units of the source that they are now, or that stand where they stood. */
function placed(
  behind: ReadonlyMap<number, Unit[]>,
  place: readonly number[],
  source: readonly Unit[],
): Map<number, Unit[]> {
  const found = new Map<number, Unit[]>()
  for (const [i, units] of [...behind].sort((a, b) => a[0] - b[0])) {
    let before = i
    while (before >= 0 && place[before] === -1) before--
    const start = before < 0 ? 0 : (place[before] as number)
    let after = i + 1
    while (after < place.length && place[after] === -1) after++
    const end = after < place.length && (place[after] as number) > start ? (place[after] as number) : source.length
    // A unit that was changed stands as far behind the last known one as it did.
    const at = behindNested(units, source, Math.max(start, Math.min(start + (i - Math.max(before, 0)), end - 1)))
    found.set(at, [...(found.get(at) ?? []), ...units])
  }
  return found
}

const indentOf = (core: string): number => core.length - core.trimStart().length

/** An item of a list that people added goes behind what has come to be nested in the item before it. */
function behindNested(units: readonly Unit[], source: readonly Unit[], at: number): number {
  const first = units[0]?.core ?? ''
  if (!/^\s*(?:[*+-]|\d+[.)])\s/.test(first)) return at
  let last = at
  while (source[last + 1] && indentOf(source[last + 1]!.core) > indentOf(first)) last++
  return last
}
