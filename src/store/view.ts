/** The view of readers and transactions on a table: its documents, index keys and sorted lists. */
import { required } from '../kernel/defined.js'
import type { Direction, RangePage, SortKey, PageRange } from '../kernel/paging.js'
import type { Table, Document, Order } from './types.js'

export type AnyTable = Table<never, string>
export type AnyOrder = Order<never>
export type AnyDocument = Document<Record<string, unknown>>

/** A document with everything that its table derives from it, computed once when the document is written. */
export interface Entry {
  readonly document: AnyDocument
  /**
   * A number that no other entry ever has. It distinguishes a document that was removed and inserted again, since its
   * version starts with 1 again.
   */
  readonly stamp: number
  /** The owner whose checkpoint file contains it; '' if the table has no owners. */
  readonly owner: string
  /** Keys by index name. One key is not in a list: a store of 100,000 documents would have as many lists per index. */
  readonly keys: Readonly<Record<string, string | readonly string[]>>
}

/** Returns the keys of a document in an index. */
export function keysIn({ keys }: Pick<Entry, 'keys'>, index: string): readonly string[] {
  const found = keys[index] ?? []
  return typeof found === 'string' ? [found] : found
}

/** The content of a table: the durable documents, optionally with changes on top. */
export interface View {
  entry(id: string): Entry | undefined
  entries(): Iterable<Entry>
  /** Returns the IDs of the documents with this key in an index. */
  ids(index: string, key: string): Iterable<string>
  count(index: string, key: string): number
  /** Yields the sort keys of a group after `after`, in the direction. Must be read synchronously. */
  keys(order: AnyOrder, group: string, direction: Direction, after?: SortKey): Iterable<SortKey>
  /** Returns the number of documents in a group. */
  groupSize(order: AnyOrder, group: string): number
}

/** Calls a function of a table's declaration, which takes the documents of its table. */
const called = <R>(of: (document: never) => R, document: AnyDocument): R =>
  (of as (document: AnyDocument) => R)(document)

/** Returns the document of an entry, which has the type of the table. */
export const documentIn = <T extends object>({ document }: Pick<Entry, 'document'>): Document<T> =>
  document as Document<T>

export function ownerOf(definition: AnyTable, document: AnyDocument): string {
  const { owner: declared } = definition
  const ownerIn = typeof declared === 'string' ? definition.indexes[declared] : declared
  const owner: unknown = ownerIn ? called(ownerIn, document) : ''
  if (typeof owner !== 'string')
    throw new TypeError(`the owner of ${definition.name} ${JSON.stringify(document.id)} is not a string`)
  return owner
}

/** Returns the groups of a document in an order. */
export function groupsOf(order: AnyOrder, document: AnyDocument): readonly string[] {
  const groups = called(order.group, document)
  return groups === null ? [] : typeof groups === 'string' ? [groups] : [...new Set(groups)]
}

/**
 * Returns the sort key of a document in an order. Throws `TypeError` if its sort value is neither a string nor a finite
 * number.
 */
export function sortKeyOf(order: AnyOrder, document: AnyDocument): SortKey {
  const by: unknown = called(order.by, document)
  if (typeof by !== 'string' && (typeof by !== 'number' || !Number.isFinite(by)))
    throw new TypeError(`${JSON.stringify(document.id)} cannot be sorted by ${String(by)}`)
  return [by, document.id]
}

/**
 * Calls all orders of a table for a document before it is written, so that their errors are thrown now: the lists are
 * updated later, when nothing may fail.
 */
export function checkOrders(definition: AnyTable, document: AnyDocument): void {
  for (const order of Object.values<AnyOrder>(definition.orders ?? {}))
    if (groupsOf(order, document).length > 0) sortKeyOf(order, document)
}

/** Reads a range of a list. */
export function stretchOf<T extends object>(
  view: View,
  order: AnyOrder,
  group: string,
  { after, limit, direction }: PageRange,
): RangePage<T> {
  const documents: Document<T>[] = []
  let more = false
  for (const [, id] of view.keys(order, group, direction, after)) {
    if (documents.length >= limit) {
      more = true
      break
    }
    documents.push(documentIn(required(view.entry(id))))
  }
  return { documents, count: view.groupSize(order, group), more }
}

let lastStamp = 0
/** Returns a number that was never returned before. */
export const nextStamp = (): number => ++lastStamp

/**
 * Creates the entry of a frozen document. Throws errors of the table's functions.
 * @param owner the owner whose file contains the document, if it is not the one that the table declares
 */
export function entryOf(definition: AnyTable, document: AnyDocument, owner = ownerOf(definition, document)): Entry {
  const keys: Record<string, string | readonly string[]> = {}
  for (const index in definition.indexes) {
    const found = called(required(definition.indexes[index]), document)
    if (found !== null) keys[index] = typeof found === 'string' ? found : [...new Set(found)]
  }
  return { document, stamp: nextStamp(), owner, keys }
}

/** The documents with one key of an index: the ID of a single one, or several. */
interface KeyEntry {
  ids: string | Set<string>
  stamp: number
}

/** IDs by index and key. */
export class KeyIndex {
  readonly #sets = new Map<string, Map<string, KeyEntry>>()

  add(entry: Entry): void {
    const { id } = entry.document
    for (const index in entry.keys) {
      let byKey = this.#sets.get(index)
      if (!byKey) this.#sets.set(index, (byKey = new Map()))
      for (const key of keysIn(entry, index)) {
        const listed = byKey.get(key)
        if (!listed) {
          byKey.set(key, { ids: id, stamp: nextStamp() })
          continue
        }
        if (typeof listed.ids !== 'string') listed.ids.add(id)
        else if (listed.ids !== id) listed.ids = new Set([listed.ids, id])
        listed.stamp = nextStamp()
      }
    }
  }

  remove(entry: Entry): void {
    const { id } = entry.document
    for (const index in entry.keys) {
      const byKey = this.#sets.get(index)
      for (const key of keysIn(entry, index)) {
        const listed = byKey?.get(key)
        if (!listed) continue
        listed.stamp = nextStamp()
        if (listed.ids === id) byKey?.delete(key)
        else if (typeof listed.ids !== 'string' && listed.ids.delete(id) && listed.ids.size === 0) byKey?.delete(key)
      }
    }
  }

  ids(index: string, key: string): Iterable<string> {
    const ids = this.#sets.get(index)?.get(key)?.ids ?? []
    return typeof ids === 'string' ? [ids] : ids
  }

  /** Returns the number of documents with a key. */
  count(index: string, key: string): number {
    const ids = this.#sets.get(index)?.get(key)?.ids
    return ids === undefined ? 0 : typeof ids === 'string' ? 1 : ids.size
  }

  /** Returns a number that changes whenever a document with the key is written or removed; 0 = there is none. */
  stamp(index: string, key: string): number {
    return this.#sets.get(index)?.get(key)?.stamp ?? 0
  }
}
