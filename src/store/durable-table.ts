// The documents of one table that are on the disk, with its indexes.
import type { Direction, SortKey } from '../kernel/paging.js'
import { OrderIndex } from './order-index.js'
import { type AnyOrder, type Entry, KeyIndex, type View } from './view.js'

/** The durable documents of one table, in memory. The time of a change does not depend on the number of documents. */
export class DurableTable implements View {
  // bound: the stored documents, as for the maps below
  readonly #entries = new Map<string, Entry>()
  readonly #index = new KeyIndex()
  readonly #owners = new Map<string, Map<string, Entry>>()
  /** The orders that were used. Building the others would take time at start, and memory. */
  readonly #orders = new Map<AnyOrder, OrderIndex>()
  #version = 0

  /** A number that changes whenever a document of the table is written or removed. */
  get version(): number {
    return this.#version
  }
  get size(): number {
    return this.#entries.size
  }
  /** Number of owners with documents. */
  get ownerCount(): number {
    return this.#owners.size
  }

  put(entry: Entry): void {
    this.#version++
    const id = entry.document.id
    const before = this.#entries.get(id)
    if (before) this.#forget(before)
    this.#entries.set(id, entry)
    this.#index.add(entry)
    const owned = this.#owners.get(entry.owner)
    if (owned) owned.set(id, entry)
    else this.#owners.set(entry.owner, new Map([[id, entry]]))
    for (const order of this.#orders.values()) order.change(before, entry)
  }

  delete(id: string): void {
    const entry = this.#entries.get(id)
    if (!entry) return
    this.#version++
    this.#forget(entry)
    for (const order of this.#orders.values()) order.change(entry, undefined)
  }

  #forget(entry: Entry): void {
    const id = entry.document.id
    this.#entries.delete(id)
    this.#index.remove(entry)
    const owned = this.#owners.get(entry.owner)
    owned?.delete(id)
    if (owned?.size === 0) this.#owners.delete(entry.owner)
  }

  entry(id: string): Entry | undefined {
    return this.#entries.get(id)
  }
  readonly keysFollowDocuments = true
  /** Returns a number that changes whenever the document is written; 0 = there is none. */
  stamp(id: string): number {
    return this.#entries.get(id)?.stamp ?? 0
  }
  /**
   * Returns a number that changes whenever a document with this key in an index is written or removed; 0 = there is
   * none.
   */
  keyStamp(index: string, key: string): number {
    return this.#index.stamp(index, key)
  }
  /** Returns a number that changes whenever a document of a list is written or removed; 0 = the list is empty. */
  listStamp(order: AnyOrder, group: string): number {
    return this.#ordered(order).stamp(group)
  }
  entries(): Iterable<Entry> {
    return this.#entries.values()
  }
  ids(index: string, key: string): Iterable<string> {
    return this.#index.ids(index, key)
  }
  count(index: string, key: string): number {
    return this.#index.count(index, key)
  }
  keys(order: AnyOrder, group: string, direction: Direction, after?: SortKey): Iterable<SortKey> {
    return this.#ordered(order).keys(group).from(direction, after)
  }
  groupSize(order: AnyOrder, group: string): number {
    return this.#ordered(order).keys(group).size
  }
  #ordered(order: AnyOrder): OrderIndex {
    let index = this.#orders.get(order)
    if (!index) this.#orders.set(order, (index = new OrderIndex(order, this.#entries.values())))
    return index
  }
  /** Returns the documents of one checkpoint file. If there are none, the file is removed. */
  ownedBy(owner: string): Entry[] {
    return [...(this.#owners.get(owner)?.values() ?? [])]
  }
  hasOwner(owner: string): boolean {
    return this.#owners.has(owner)
  }
}
