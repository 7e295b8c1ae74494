/** Keeps the documents of a table sorted within their groups, so that any page of a list is found quickly. */
import { compareSortKeys, type SortKey } from '../kernel/paging.js'
import { SortedKeys } from './sorted-keys.js'
import { type AnyOrder, type Entry, groupsOf, sortKeyOf } from './view.js'

const NONE = new SortedKeys()

/** One order of a table: a sorted list of keys per group. */
export class OrderIndex {
  readonly #order: AnyOrder
  readonly #groups = new Map<string, SortedKeys>()

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
    for (const [group, keys] of found) this.#groups.set(group, new SortedKeys(keys.sort(compareSortKeys)))
  }

  keys(group: string): SortedKeys {
    return this.#groups.get(group) ?? NONE
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
  }

  #add(group: string, key: SortKey): void {
    const keys = this.#groups.get(group)
    if (keys) keys.add(key)
    else this.#groups.set(group, new SortedKeys([key]))
  }

  #remove(group: string, key: SortKey): void {
    const keys = this.#groups.get(group)
    keys?.delete(key)
    if (keys?.size === 0) this.#groups.delete(group)
  }
}
