// Changes of documents on top of an unchanged view.
import { required } from '../kernel/defined.js'
import { compareSortKeys, type Direction, type SortKey } from '../kernel/paging.js'
import { type AnyOrder, type Entry, groupsOf, KeyIndex, keysIn, sortKeyOf, type View } from './view.js'

/** The new state of a document; null = removed. Two changes of one document are distinguished by object identity. */
export interface Change {
  readonly id: string
  readonly entry: Entry | null
}

/**
 * Changes on top of a view, which does not change. The cost depends on the number of changes, not on the view below.
 */
export class Layer implements View {
  readonly #below: View
  readonly #changes = new Map<string, Change>()
  readonly #index = new KeyIndex()

  constructor(below: View) {
    this.#below = below
  }

  set(change: Change): void {
    this.#unset(change.id)
    this.#changes.set(change.id, change)
    if (change.entry) this.#index.add(change.entry)
  }

  /** Removes a change that the view below contains now, unless a later change has replaced it. */
  settle(change: Change): void {
    if (this.#changes.get(change.id) === change) this.#unset(change.id)
  }

  #unset(id: string): void {
    const entry = this.#changes.get(id)?.entry
    if (entry) this.#index.remove(entry)
    this.#changes.delete(id)
  }

  changes(): Change[] {
    return [...this.#changes.values()]
  }

  entry(id: string): Entry | undefined {
    const change = this.#changes.get(id)
    return change ? (change.entry ?? undefined) : this.#below.entry(id)
  }

  *entries(): Iterable<Entry> {
    for (const entry of this.#below.entries()) if (!this.#changes.has(entry.document.id)) yield entry
    for (const { entry } of this.#changes.values()) if (entry) yield entry
  }

  *ids(index: string, key: string): Iterable<string> {
    for (const id of this.#below.ids(index, key)) if (!this.#changes.has(id)) yield id
    yield* this.#index.ids(index, key)
  }

  count(index: string, key: string): number {
    let count = this.#below.count(index, key) + this.#index.count(index, key)
    for (const id of this.#changes.keys()) {
      const below = this.#below.entry(id)
      if (below && keysIn(below, index).includes(key)) count--
    }
    return count
  }

  *keys(order: AnyOrder, group: string, direction: Direction, after?: SortKey): Iterable<SortKey> {
    const sign = direction === 'asc' ? 1 : -1
    const own = this.#changedIn(order, group)
      .map(({ document }) => sortKeyOf(order, document))
      .filter((key) => after === undefined || sign * compareSortKeys(key, after) > 0)
      .sort((a, b) => sign * compareSortKeys(a, b))
    let at = 0
    for (const key of this.#below.keys(order, group, direction, after)) {
      if (this.#changes.has(key[1])) continue
      for (; at < own.length && sign * compareSortKeys(required(own[at]), key) < 0; at++) yield required(own[at])
      yield key
    }
    yield* own.slice(at)
  }

  groupSize(order: AnyOrder, group: string): number {
    let size = this.#below.groupSize(order, group) + this.#changedIn(order, group).length
    for (const id of this.#changes.keys()) {
      const below = this.#below.entry(id)
      if (below && groupsOf(order, below.document).includes(group)) size--
    }
    return size
  }

  #changedIn(order: AnyOrder, group: string): Entry[] {
    return this.changes().flatMap(({ entry }) =>
      entry && groupsOf(order, entry.document).includes(group) ? [entry] : [],
    )
  }
}
