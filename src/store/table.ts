import { type Entry, KeyIndex, type View } from './view.js'

/** What is durable of one collection, in memory. Every change costs the same, however many documents there are. */
export class Table implements View {
  readonly #entries = new Map<string, Entry>()
  readonly #index = new KeyIndex()
  readonly #owners = new Map<string, Map<string, Entry>>()

  get size(): number {
    return this.#entries.size
  }
  /** How many owners have a document. */
  get ownerCount(): number {
    return this.#owners.size
  }

  put(entry: Entry): void {
    const id = entry.document.id
    this.delete(id)
    this.#entries.set(id, entry)
    this.#index.add(entry)
    const owned = this.#owners.get(entry.owner)
    if (owned) owned.set(id, entry)
    else this.#owners.set(entry.owner, new Map([[id, entry]]))
  }

  delete(id: string): void {
    const entry = this.#entries.get(id)
    if (!entry) return
    this.#entries.delete(id)
    this.#index.remove(entry)
    const owned = this.#owners.get(entry.owner)
    owned?.delete(id)
    if (owned?.size === 0) this.#owners.delete(entry.owner)
  }

  entry(id: string): Entry | undefined {
    return this.#entries.get(id)
  }
  entries(): Iterable<Entry> {
    return this.#entries.values()
  }
  ids(index: string, key: string): Iterable<string> {
    return this.#index.ids(index, key)
  }
  count(index: string, key: string): number {
    return this.#index.ids(index, key).size
  }
  /** The documents of one checkpoint file; none = the file goes. */
  ownedBy(owner: string): Entry[] {
    return [...(this.#owners.get(owner)?.values() ?? [])]
  }
  hasOwner(owner: string): boolean {
    return this.#owners.has(owner)
  }
}
