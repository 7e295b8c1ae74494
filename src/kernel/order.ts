// Sort keys that keep siblings in the order that users choose.
import { required } from './defined.js'
import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing'

/** An item with a position among its siblings. */
export interface Ordered {
  id: string
  /** A fractional index. Items without one come first, sorted by creation time. */
  position?: string
  createdAt: string
}

/** Keys grow when items are repeatedly inserted between the same two. Beyond this length, all siblings get new keys. */
const MAX_KEY_LENGTH = 48

/**
 * Returns the sort key of an item, compared by code units. Fractional indexes start with a letter, which is greater
 * than any digit.
 */
export const orderKey = ({ position, createdAt }: Pick<Ordered, 'position' | 'createdAt'>): string =>
  position ?? `0${createdAt}`

/** Sorts siblings. Equal keys, which only an edit of the store's files can cause, are sorted by ID. */
export function inOrder<T extends Ordered>(siblings: readonly T[]): T[] {
  const keyed = siblings.map((one) => [orderKey(one), one] as const)
  return keyed.sort(([a, x], [b, y]) => (a < b ? -1 : a > b ? 1 : x.id < y.id ? -1 : 1)).map(([, one]) => one)
}

/** The positions of new items, and the rarely needed new positions of siblings. */
interface Positions {
  positions: string[]
  /** ID of a sibling → its new position. */
  moved: ReadonlyMap<string, string>
}

/** Returns positions for `n` new items at index `at` among sorted siblings. */
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
    .map((one, i) => [one, required(others[i])] as const)
    .filter(([one, key]) => one.position !== key)
  return { positions: keys.slice(at, at + n), moved: new Map(moved.map(([one, key]) => [one.id, key])) }
}
