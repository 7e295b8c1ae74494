import { DuplicateKey } from './errors.js'
import { isJournal, type Journals } from './journal/journals.js'
import { Layer } from './layer.js'
import { DurableTable } from './durable-table.js'
import type { AnyTable, AnyDocument } from './view.js'
import { entryOf } from './view.js'

/** One table in memory. */
export interface Held {
  readonly definition: AnyTable
  /** What is durable: all that readers outside of a transaction see. */
  readonly durable: DurableTable
  /** What transactions have written that is not durable yet. */
  staged: Layer
}

/** A document and the owner in whose checkpoint file it lies. */
export interface Raw {
  readonly document: AnyDocument
  readonly owner: string
}

/** All tables, those of the present code and those that only the disk knows. */
export class Database {
  /** The last transaction that the tables hold. */
  seq: number
  readonly #held = new Map<string, Held>()
  /** Documents from the disk whose table the code has not shown yet. */
  readonly #raw = new Map<string, Raw[]>()
  /** Those of them that `takeRaw` has put in order. */
  // bound: the journals that documents of earlier releases became
  readonly #sorted = new Set<string>()

  constructor(
    seq: number,
    readonly journals: Journals,
  ) {
    this.seq = seq
  }

  /** Hands in what was found on the disk, before the table is first used. */
  load(name: string, documents: Raw[]): void {
    this.#raw.set(name, documents)
  }

  /** Takes documents out that the code has no table for any more, at most `count`, in an order. */
  takeRaw(name: string, count: number, by: (document: AnyDocument) => string): Raw[] {
    const raw = this.#raw.get(name) ?? []
    if (!this.#sorted.has(name)) raw.sort((a, b) => (by(a.document) < by(b.document) ? -1 : 1))
    this.#sorted.add(name)
    this.#raw.set(name, raw.slice(count))
    return raw.slice(0, count)
  }

  /**
   * The table of a definition; its indexes are built at the first call. Throws `DuplicateKey` where stored documents
   * break a unique index (a migration was forgotten), `TypeError` for a second definition of the same name.
   */
  hold(definition: AnyTable): Held {
    const known = this.#held.get(definition.name)
    if (known?.definition === definition) return known
    if (known) throw new TypeError(`there are two definitions of the table ${definition.name}`)
    const durable = new DurableTable()
    for (const { document, owner } of this.#raw.get(definition.name) ?? []) {
      const entry = entryOf(definition, document)
      for (const index of definition.unique ?? []) {
        for (const key of entry.keys.get(index) ?? []) if (durable.count(index, key) > 0) throw new DuplicateKey(definition.name, index, key)
      }
      // It stays in the file it lies in, whatever the code says by now of its owner, until it is next written: moves go through the log.
      durable.put({ ...entry, owner })
    }
    this.#raw.delete(definition.name)
    const held: Held = { definition, durable, staged: new Layer(durable) }
    this.#held.set(definition.name, held)
    return held
  }

  /** Whether an owner has documents. */
  hasOwner(name: string, owner: string): boolean {
    if (isJournal(name)) return this.journals.hasGroup(name, owner)
    return this.#held.get(name)?.durable.hasOwner(owner) ?? (this.#raw.get(name) ?? []).some((raw) => raw.owner === owner)
  }

  get size(): number {
    let size = 0
    for (const { durable } of this.#held.values()) size += durable.size
    for (const raw of this.#raw.values()) size += raw.length
    return size
  }

  /** The documents of one checkpoint file. */
  ownedBy(name: string, owner: string): AnyDocument[] {
    const held = this.#held.get(name)
    if (held) return held.durable.ownedBy(owner).map((entry) => entry.document)
    return (this.#raw.get(name) ?? []).filter((raw) => raw.owner === owner).map((raw) => raw.document)
  }

  /** How many owners have documents, by table. */
  ownerCounts(): Record<string, number> {
    const counts = this.journals.counts()
    for (const [name, held] of this.#held) if (held.durable.ownerCount > 0) counts[name] = held.durable.ownerCount
    for (const [name, raw] of this.#raw) if (raw.length > 0) counts[name] = new Set(raw.map(({ owner }) => owner)).size
    return counts
  }

  /** Forgets everything that is not durable. */
  unstage(): void {
    for (const held of this.#held.values()) held.staged = new Layer(held.durable)
    this.journals.unstage()
  }
}
