// The tables of the store in memory, grouped by checkpoint file.
import { Damages } from './damages.js'
import { DuplicateKey } from './errors.js'
import { isJournal, type Journals } from './journal/journals.js'
import { Layer } from './layer.js'
import { DurableTable } from './durable-table.js'
import type { AnyTable, AnyDocument } from './view.js'
import { entryOf, keysIn } from './view.js'

/** One table in memory. */
interface LoadedTable {
  readonly definition: AnyTable
  /** The durable documents. Readers outside of transactions see only these. */
  readonly durable: DurableTable
  /** Changes of transactions that are not durable yet. */
  staged: Layer
}

/** A document from the disk, and the owner whose checkpoint file contains it. */
export interface RawDocument {
  readonly document: AnyDocument
  readonly owner: string
}

/** All tables: those of the current code, and those that exist only on the disk. */
export class Database {
  /** The number of the last transaction that the tables contain. */
  seq: number
  readonly #held = new Map<string, LoadedTable>()
  /** Documents from the disk whose table has not been used yet. */
  readonly #raw = new Map<string, RawDocument[]>()

  constructor(
    seq: number,
    readonly journals: Journals,
    readonly damages = new Damages(),
  ) {
    this.seq = seq
  }

  /** Adds the documents that were found on the disk. Call it before the table is first used. */
  load(name: string, documents: RawDocument[]): void {
    this.#raw.set(name, documents)
  }

  /**
   * Returns the table for a definition. The first call builds its indexes. Throws `DuplicateKey` if stored documents
   * violate a unique index (a migration is missing), `TypeError` for a second definition with the same name.
   */
  tableFor(definition: AnyTable): LoadedTable {
    const known = this.#held.get(definition.name)
    if (known?.definition === definition) return known
    if (known) throw new TypeError(`there are two definitions of the table ${definition.name}`)
    const durable = new DurableTable()
    for (const { document, owner } of this.#raw.get(definition.name) ?? []) {
      // A document stays in its file until its next write, even if it has another owner now: only the log moves
      // documents.
      const entry = entryOf(definition, document, owner)
      for (const index of definition.unique ?? []) {
        for (const key of keysIn(entry, index))
          if (durable.count(index, key) > 0) throw new DuplicateKey(definition.name, index, key)
      }
      durable.put(entry)
    }
    this.#raw.delete(definition.name)
    const held: LoadedTable = { definition, durable, staged: new Layer(durable) }
    this.#held.set(definition.name, held)
    return held
  }

  /** Whether an owner has documents. */
  hasOwner(name: string, owner: string): boolean {
    if (isJournal(name)) return this.journals.hasGroup(name, owner)
    return (
      this.#held.get(name)?.durable.hasOwner(owner) ?? (this.#raw.get(name) ?? []).some((raw) => raw.owner === owner)
    )
  }

  get size(): number {
    let size = 0
    for (const { durable } of this.#held.values()) size += durable.size
    for (const raw of this.#raw.values()) size += raw.length
    return size
  }

  /** Returns the documents of one checkpoint file. */
  ownedBy(name: string, owner: string): AnyDocument[] {
    const held = this.#held.get(name)
    if (held) return held.durable.ownedBy(owner).map((entry) => entry.document)
    return (this.#raw.get(name) ?? []).filter((raw) => raw.owner === owner).map((raw) => raw.document)
  }

  /** Returns the number of owners with documents per table. */
  ownerCounts(): Record<string, number> {
    const counts = this.journals.counts()
    for (const [name, held] of this.#held) if (held.durable.ownerCount > 0) counts[name] = held.durable.ownerCount
    for (const [name, raw] of this.#raw) if (raw.length > 0) counts[name] = new Set(raw.map(({ owner }) => owner)).size
    return counts
  }

  /** Undoes all changes that are not durable. */
  unstage(): void {
    for (const held of this.#held.values()) held.staged = new Layer(held.durable)
    this.journals.unstage()
  }
}
