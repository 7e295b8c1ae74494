/** Keeps the documents of a table sorted within their groups, so that any page of a list is found quickly. */
import { compareSortKeys, type SortKey } from '../kernel/paging.js'
import { SortedKeys } from './sorted-keys.js'
import { type AnyOrder, type Entry, groupsOf, nextStamp, sortKeyOf } from './view.js'

const NONE = new SortedKeys()

/** A sorted list. Its stamp changes whenever a document of the list is written, added or removed. */
interface Group {
  readonly keys: SortedKeys
  stamp: number
}

/** One order of a table: a sorted list of keys per group. */
export class OrderIndex {
  readonly #order: AnyOrder
  readonly #groups = new Map<string, Group>()

  constructor(order: AnyOrder, entries: Iterable<Entry>) {
    this.#order = order
    const found = new Map<string, SortKey[]>()
    for (const { document } of entries) {
      const groups = groupsOf(order, document)
      if (groups.length === 0) continue
      const key = sortKeyOf(order, document)
      for (const group of groups) {
        const keys = found.get(group)
        if (keys) keys.push(key)
        else found.set(group, [key])
      }
    }
    for (const [group, keys] of found)
      this.#groups.set(group, { keys: new SortedKeys(keys.sort(compareSortKeys)), stamp: nextStamp() })
  }

  keys(group: string): SortedKeys {
    return this.#groups.get(group)?.keys ?? NONE
  }

  /** Returns a number that changes whenever a document of the group is written or removed; 0 = there is none. */
  stamp(group: string): number {
    return this.#groups.get(group)?.stamp ?? 0
  }

  /** Updates the lists after a change of one document. Most changes do not affect them. */
  change(before: Entry | undefined, after: Entry | undefined): void {
    const left = before ? groupsOf(this.#order, before.document) : []
    const entered = after ? groupsOf(this.#order, after.document) : []
    const from = before && left.length > 0 ? sortKeyOf(this.#order, before.document) : undefined
    const to = after && entered.length > 0 ? sortKeyOf(this.#order, after.document) : undefined
    const same = from && to && compareSortKeys(from, to) === 0
    if (from) for (const group of left) if (!same || !entered.includes(group)) this.#remove(group, from)
    if (to) for (const group of entered) if (!same || !left.includes(group)) this.#add(group, to)
    for (const group of same ? entered : []) this.#touch(group)
  }

  #touch(group: string): void {
    const list = this.#groups.get(group)
    if (list) list.stamp = nextStamp()
  }

  #add(group: string, key: SortKey): void {
    const list = this.#groups.get(group)
    if (!list) {
      this.#groups.set(group, { keys: new SortedKeys([key]), stamp: nextStamp() })
      return
    }
    list.keys.add(key)
    list.stamp = nextStamp()
  }

  #remove(group: string, key: SortKey): void {
    const list = this.#groups.get(group)
    if (!list) return
    list.keys.delete(key)
    list.stamp = nextStamp()
    if (list.keys.size === 0) this.#groups.delete(group)
  }
}
