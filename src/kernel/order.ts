// Sort keys by which siblings keep an order that people choose.
import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing'

/** Something that has a place among its siblings. */
export interface Ordered {
  id: string
  /** A fractional index. Without one, it comes before all that have one, sorted by its creation. */
  position?: string
  createdAt: string
}

/** Keys grow when things are put between the same two again and again; when a key would be longer, all siblings get new ones. */
const MAX_KEY_LENGTH = 48

/** The key that siblings are sorted by, by code units. Fractional indexes begin with a letter, which is greater than any digit. */
export const orderKey = ({ position, createdAt }: Pick<Ordered, 'position' | 'createdAt'>): string =>
  position ?? `0${createdAt}`

/** Sorts siblings. Equal keys, which only an edit of the store's files could make, are sorted by ID. */
export function inOrder<T extends Ordered>(siblings: readonly T[]): T[] {
  const keyed = siblings.map((one) => [orderKey(one), one] as const)
  return keyed.sort(([a, x], [b, y]) => (a < b ? -1 : a > b ? 1 : x.id < y.id ? -1 : 1)).map(([, one]) => one)
}

/** The positions of new things, and the new positions of siblings, which are rarely needed. */
interface Positions {
  positions: string[]
  /** ID of a sibling → its new position. */
  moved: ReadonlyMap<string, string>
}

/** Positions for `n` new things at index `at` among sorted siblings. */
export function positionsAt(siblings: readonly Ordered[], at: number, n = 1): Positions {
  const [before, after] = [siblings[at - 1], siblings[at]]
  const [from, to] = [before?.position ?? null, after?.position ?? null]
  if ((after === undefined || to !== null) && (from === null || to === null || from < to)) {
    const positions = n === 1 ? [generateKeyBetween(from, to)] : generateNKeysBetween(from, to, n)
    if (positions.every((key) => key.length <= MAX_KEY_LENGTH)) return { positions, moved: new Map() }
  }
  const keys = generateNKeysBetween(null, null, siblings.length + n)
  const others = [...keys.slice(0, at), ...keys.slice(at + n)]
  const moved = siblings
    .map((one, i) => [one, others[i] as string] as const)
    .filter(([one, key]) => one.position !== key)
  return { positions: keys.slice(at, at + n), moved: new Map(moved.map(([one, key]) => [one.id, key])) }
}
