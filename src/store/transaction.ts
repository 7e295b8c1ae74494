/** A running transaction: reads through its own changes, collects them, and lists them for the log at commit. */
import { required } from '../kernel/defined.js'
import type { Database } from './database.js'
import { DuplicateKey, NoDocument, StaleDocument } from './errors.js'
import { frozenJson } from './json.js'
import { type Change, Layer } from './layer.js'
import type { Operation } from './log.js'
import type { RangePage, PageRange } from '../kernel/paging.js'
import type { JournalPage, Journal, JournalQuery } from '../kernel/documents.js'
import { readGroup } from './journal/read.js'
import type { JournalEntry } from './journal/segment.js'
import type { Table, Document, Draft, Transaction } from './types.js'
import {
  type AnyTable,
  type AnyDocument,
  type AnyOrder,
  checkOrders,
  type Entry,
  entryOf,
  keysIn,
  ownerOf,
  stretchOf,
  type View,
  documentIn,
} from './view.js'

/** Changes of one table, ready to commit. */
export interface TableChanges {
  readonly definition: AnyTable
  readonly changes: readonly Change[]
}

/** A record that a transaction adds, ready to commit. */
export interface JournalAddition extends JournalEntry {
  readonly journal: string
  readonly group: string
}

const keyOf = (journal: string, group: string): string => JSON.stringify([journal, group])

export const listOf = <T extends object>(view: View, ids: Iterable<string>): Document<T>[] =>
  Array.from(ids, (id) => documentIn(required(view.entry(id))))

/** Throws `TypeError` if the table has no such index. */
export function checkIndex(of: Pick<AnyTable, 'name' | 'indexes'>, index: string): void {
  if (!Object.hasOwn(of.indexes, index)) throw new TypeError(`${of.name} has no index ${index}`)
}

/** Returns an order of the table by its name. Throws `TypeError` if there is none. */
export function orderOf(of: AnyTable, order: string): AnyOrder {
  const found = Object.hasOwn(of.orders ?? {}, order) ? of.orders?.[order] : undefined
  if (!found) throw new TypeError(`${of.name} has no order ${order}`)
  return found
}

/** A running transaction. Its changes are in separate layers until they are committed. */
export class OpenTransaction implements Transaction {
  readonly #database: Database
  readonly #layers = new Map<AnyTable, Layer>()
  readonly additions: JournalAddition[] = []
  /** The additions by journal and group. */
  readonly #added = new Map<string, JournalAddition[]>()
  #over = false

  constructor(database: Database) {
    this.#database = database
  }

  /** Ends the transaction. Every later call throws: the work did not await a call, or kept `tx`. */
  end(): void {
    this.#over = true
  }
  get isOver(): boolean {
    return this.#over
  }

  #layer(of: AnyTable): Layer {
    if (this.#over) throw new Error('this transaction has ended. Await every call on it')
    let layer = this.#layers.get(of)
    if (!layer) this.#layers.set(of, (layer = new Layer(this.#database.tableFor(of).staged)))
    return layer
  }

  async get<T extends object>(of: Table<T, string>, id: string): Promise<Document<T> | null> {
    const entry = this.#layer(of).entry(id)
    if (!entry) this.#database.damages.checkAbsent(of.name)
    return entry ? documentIn<T>(entry) : null
  }

  async find<T extends object, I extends string>(of: Table<T, I>, index: I, key: string): Promise<Document<T>[]> {
    checkIndex(of, index)
    const layer = this.#layer(of)
    this.#database.damages.checkKey(of, index, key, layer.count(index, key))
    return listOf(layer, layer.ids(index, key))
  }

  async count<T extends object, I extends string>(of: Table<T, I>, index: I, key: string): Promise<number> {
    checkIndex(of, index)
    const count = this.#layer(of).count(index, key)
    this.#database.damages.checkKey(of, index, key, count)
    return count
  }

  async page<T extends object, O extends string>(
    of: Table<T, string, O>,
    order: O,
    group: string,
    stretch: PageRange,
  ): Promise<RangePage<T>> {
    if (!stretch.intact) this.#database.damages.checkAbsent(of.name)
    return stretchOf(this.#layer(of), orderOf(of, order), group, stretch)
  }

  async all<T extends object>(of: Table<T, string>): Promise<Document<T>[]> {
    this.#database.damages.checkAbsent(of.name)
    return Array.from(this.#layer(of).entries(), documentIn<T>)
  }

  async insert<T extends object>(of: Table<T, string>, draft: Draft<T>): Promise<Document<T>> {
    const layer = this.#layer(of)
    const document = withVersion(draft, 1)
    if (layer.entry(document.id)) throw new DuplicateKey(of.name, 'id', document.id)
    this.#database.damages.checkInsert(of, ownerOf(of, document))
    this.#write(of, layer, document)
    return document
  }

  async replace<T extends object>(of: Table<T, string>, given: Document<T>): Promise<Document<T>> {
    const layer = this.#layer(of)
    const document = withVersion(given, given.version + 1)
    const stored = layer.entry(document.id)?.document.version
    if (stored === undefined) this.#database.damages.checkAbsent(of.name)
    if (stored === undefined) throw new NoDocument(of.name, document.id)
    if (stored !== given.version) throw new StaleDocument(of.name, document.id, given.version, stored)
    this.#write(of, layer, document)
    return document
  }

  async remove<T extends object>(of: Table<T, string>, id: string): Promise<boolean> {
    const layer = this.#layer(of)
    const entry = layer.entry(id)
    if (!entry) this.#database.damages.checkAbsent(of.name)
    if (!entry) return false
    this.#database.damages.checkOwner(of.name, entry.owner)
    layer.set({ id, entry: null })
    return true
  }

  async append<T extends object>(to: Journal<T>, group: string, make: (position: number) => T, least = 1): Promise<T> {
    if (this.#over) throw new Error('this transaction has ended. Await every call on it')
    const position = Math.max(this.#nextOf(to.name, group), least)
    const record = frozenJson(make(position))
    if (to.group(record) !== group)
      throw new TypeError(
        `a record of ${to.name} belongs to the group ${JSON.stringify(to.group(record))}, not ${JSON.stringify(group)}`,
      )
    const addition = { journal: to.name, group, position, at: to.at(record), record }
    this.additions.push(addition)
    const key = keyOf(to.name, group)
    const added = this.#added.get(key)
    if (added) added.push(addition)
    else this.#added.set(key, [addition])
    return record
  }

  read<T extends object>(of: Journal<T>, group: string, query: JournalQuery<T>): Promise<JournalPage<T>> {
    const { journals } = this.#database
    const found = journals.group(of.name, group)
    return readGroup(journals.fs, of, found, [...found.staged, ...this.#addedTo(of.name, group)], query)
  }

  async extent(of: Journal<never>, group: string): Promise<{ count: number; next: number }> {
    const next = this.#nextOf(of.name, group)
    return {
      count: next - this.#database.journals.group(of.name, group).firstWith(this.#addedTo(of.name, group)),
      next,
    }
  }

  #addedTo(journal: string, group: string): readonly JournalAddition[] {
    return this.#added.get(keyOf(journal, group)) ?? []
  }

  #nextOf(journal: string, group: string): number {
    const last = this.#addedTo(journal, group).at(-1)
    return last ? last.position + 1 : this.#database.journals.group(journal, group).stagedNext
  }

  #write(of: AnyTable, layer: Layer, document: AnyDocument): void {
    const entry = entryOf(of, document)
    this.#database.damages.checkOwner(of.name, entry.owner)
    checkOrders(of, document)
    for (const index of of.unique ?? []) {
      for (const key of keysIn(entry, index)) {
        for (const id of layer.ids(index, key)) if (id !== document.id) throw new DuplicateKey(of.name, index, key)
      }
    }
    layer.set({ id: document.id, entry })
  }

  /** Returns the changes of the transaction, without documents that it both inserted and removed. */
  changes(): TableChanges[] {
    return [...this.#layers]
      .map(([definition, layer]) => {
        const { staged } = this.#database.tableFor(definition)
        return { definition, changes: layer.changes().filter(({ id, entry }) => entry ?? staged.entry(id)) }
      })
      .filter(({ changes }) => changes.length > 0)
  }
}

/** Puts `id` and `version` first, so that the files are easier to read. */
export function withVersion<T extends object>(draft: Draft<T>, version: number): Document<T> {
  const { id, version: _, ...rest } = frozenJson<Draft<T> & { version?: number }>(draft)
  if (typeof id !== 'string') throw new TypeError('a document needs an id, a string')
  if (!Number.isSafeInteger(version))
    throw new TypeError('replacing a document needs the version with which it was read')
  return Object.freeze({ id, version, ...rest }) as Document<T>
}

/** Returns the operations of a change for the log. `before` is the old state of the document. */
export function operationsOf(table: string, { id, entry }: Change, before: Entry | undefined): Operation[] {
  const ops: Operation[] = []
  if (before && before.owner !== entry?.owner) ops.push({ c: table, o: before.owner, remove: id })
  if (entry) ops.push({ c: table, o: entry.owner, put: entry.document })
  return ops
}
