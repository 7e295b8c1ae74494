/** The index rows of a document: its keys, and its places in lists. */
import { createHash } from 'node:crypto'
import { type AnyOrder, type AnyTable, type Entry, groupsOf, keysIn, sortKeyOf } from '../view.js'
import { keyText, placeOf } from './encoding.js'

/** A key of an index; `once` if the index is unique. */
export interface KeyRow {
  readonly index: string
  readonly key: string
  /** The key as returned by the table's function, for messages. */
  readonly given: string
  readonly once: boolean
}

/** A place in a list. */
export interface PlaceRow {
  readonly list: string
  readonly grp: string
  readonly place: Buffer
  readonly rest: Buffer
}

/** The rows by their identity. */
export interface Rows {
  readonly keys: ReadonlyMap<string, KeyRow>
  readonly places: ReadonlyMap<string, PlaceRow>
}

export const NO_ROWS: Rows = { keys: new Map(), places: new Map() }

/** Returns the rows of a document. Throws errors of the table's functions. */
export function rowsOf(of: AnyTable, entry: Pick<Entry, 'document' | 'keys'>): Rows {
  const { document, keys } = entry
  const keyRows = new Map<string, KeyRow>()
  const unique: readonly string[] = of.unique ?? []
  for (const index in keys) {
    for (const given of keysIn(entry, index)) {
      const key = keyText(given)
      keyRows.set(JSON.stringify([index, key]), { index, key, given, once: unique.includes(index) })
    }
  }
  const places = new Map<string, PlaceRow>()
  for (const [list, order] of Object.entries<AnyOrder>(of.orders ?? {})) {
    const groups = groupsOf(order, document)
    if (groups.length === 0) continue
    const { place, rest } = placeOf(sortKeyOf(order, document))
    for (const group of groups) {
      const grp = keyText(group)
      places.set(JSON.stringify([list, grp, place.toString('latin1'), rest.toString('latin1')]), {
        list,
        grp,
        place,
        rest,
      })
    }
  }
  return { keys: keyRows, places }
}

/** Returns the rows of one map that the other does not have. */
export const without = <Row>(rows: ReadonlyMap<string, Row>, others: ReadonlyMap<string, Row>): Row[] =>
  [...rows].filter(([key]) => !others.has(key)).map(([, row]) => row)

const shapes = new WeakMap<AnyTable, string>()

/**
 * Returns an identifier of the index rows that a release creates for the documents of a table. A document of another
 * shape was written by a release with other indexes or orders. Its rows are recreated at start.
 */
export function shapeOf(of: AnyTable): string {
  let shape = shapes.get(of)
  if (shape === undefined) {
    const names = [Object.keys(of.indexes).sort(), [...(of.unique ?? [])].sort(), Object.keys(of.orders ?? {}).sort()]
    shape = createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, 16)
    shapes.set(of, shape)
  }
  return shape
}
