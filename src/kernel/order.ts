import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing'

/** Something that stands in an order with its siblings. */
export interface Ordered {
  id: string
  /** A fractional index; absent = it stands before all that have one, by its creation. */
  position?: string
  createdAt: string
}

/** Keys grow when things are put between the same two again and again; from here on all siblings get fresh ones. */
const MAX_KEY_LENGTH = 48

/** What siblings are compared by, by code unit: fractional indexes begin with a letter, which is greater than any digit. */
export const orderKey = ({ position, createdAt }: Pick<Ordered, 'position' | 'createdAt'>): string => position ?? `0${createdAt}`

/** Siblings in their order; equal keys, which only a repair by hand could make, by ID. */
export function inOrder<T extends Ordered>(siblings: readonly T[]): T[] {
  const keyed = siblings.map((one) => [orderKey(one), one] as const)
  return keyed.sort(([a, x], [b, y]) => (a < b ? -1 : a > b ? 1 : x.id < y.id ? -1 : 1)).map(([, one]) => one)
}

/** The positions that something new needs, and those that siblings need anew for it: mostly none. */
export interface Positions {
  positions: string[]
  /** ID of a sibling → its new position. */
  moved: ReadonlyMap<string, string>
}

/** Positions of `n` new things that are to stand at index `at` among siblings given in their order. */
export function positionsAt(siblings: readonly Ordered[], at: number, n = 1): Positions {
  const [before, after] = [siblings[at - 1], siblings[at]]
  const [from, to] = [before?.position ?? null, after?.position ?? null]
  if ((after === undefined || to !== null) && (from === null || to === null || from < to)) {
    const positions = n === 1 ? [generateKeyBetween(from, to)] : generateNKeysBetween(from, to, n)
    if (positions.every((key) => key.length <= MAX_KEY_LENGTH)) return { positions, moved: new Map() }
  }
  const keys = generateNKeysBetween(null, null, siblings.length + n)
  const others = [...keys.slice(0, at), ...keys.slice(at + n)]
  const moved = siblings.map((one, i) => [one, others[i] as string] as const).filter(([one, key]) => one.position !== key)
  return { positions: keys.slice(at, at + n), moved: new Map(moved.map(([one, key]) => [one.id, key])) }
}
