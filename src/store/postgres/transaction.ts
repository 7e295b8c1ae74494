/** A transaction on PostgreSQL. Each call is one or a few statements, and sees earlier writes. */
import type { RangePage, PageRange } from '../../kernel/paging.js'
import type { JournalPage, Journal, JournalQuery } from '../../kernel/documents.js'
import type { Session } from '../../postgres/index.js'
import { DuplicateKey, NoDocument, StaleDocument } from '../errors.js'
import { withVersion } from '../transaction.js'
import type { Document, Draft, Table, Transaction } from '../types.js'
import { type AnyDocument, type AnyTable, entryOf } from '../view.js'
import { appendRecord, extentOf } from './journal-rows.js'
import { readRecords } from './read-journal.js'
import { allDocuments, countDocuments, findDocuments, readStretch, storedDocument, takenKey } from './read-documents.js'
import { NO_ROWS, type Rows, rowsOf, shapeOf, without } from './rows.js'
import { putDocument, removeAllRows, removeDocument } from './write-documents.js'

export class PostgresTransaction implements Transaction {
  readonly #session: Session
  #over = false
  #failure: unknown = null
  /** Callbacks to run after the commit. */
  // bound: callbacks of one transaction
  readonly afterwards: (() => void)[] = []

  constructor(session: Session) {
    this.#session = { query: (...given) => this.#query(session, ...given) }
  }

  /** Ends the transaction. Every later call throws: the work did not await a call, or kept `tx`. */
  end(): void {
    this.#over = true
  }
  get isOver(): boolean {
    return this.#over
  }
  /**
   * The first error of a statement. The database rejects all later statements, so the transaction has failed even if
   * the work handles the error.
   */
  get failure(): unknown {
    return this.#failure
  }

  async #query<Row extends object>(session: Session, ...given: Parameters<Session['query']>): Promise<Row[]> {
    if (this.#over) throw new Error('this transaction has ended. Await every call on it')
    try {
      return await session.query<Row>(...given)
    } catch (error) {
      this.#failure ??= error
      throw error
    }
  }

  async get<T extends object>(of: Table<T, string>, id: string): Promise<Document<T> | null> {
    return (await storedDocument(this.#session, of, id))?.document ?? null
  }
  find<T extends object, I extends string>(of: Table<T, I>, index: I, key: string): Promise<Document<T>[]> {
    return findDocuments(this.#session, of, index, key)
  }
  count<T extends object, I extends string>(of: Table<T, I>, index: I, key: string): Promise<number> {
    return countDocuments(this.#session, of, index, key)
  }
  all<T extends object>(of: Table<T, string>): Promise<Document<T>[]> {
    return allDocuments(this.#session, of)
  }
  page<T extends object, O extends string>(
    of: Table<T, string, O>,
    order: O,
    group: string,
    stretch: PageRange,
  ): Promise<RangePage<T>> {
    return readStretch(this.#session, of, order, group, stretch)
  }
  read<T extends object>(of: Journal<T>, group: string, query: JournalQuery<T>): Promise<JournalPage<T>> {
    return readRecords(this.#session, of, group, query)
  }
  extent(of: Journal<never>, group: string): Promise<{ count: number; next: number }> {
    return extentOf(this.#session, of.name, group)
  }
  append<T extends object>(to: Journal<T>, group: string, make: (position: number) => T, least = 1): Promise<T> {
    return appendRecord(this.#session, to, group, make, least)
  }

  async insert<T extends object>(of: Table<T, string>, draft: Draft<T>): Promise<Document<T>> {
    const document = withVersion(draft, 1)
    if (await storedDocument(this.#session, of, document.id)) throw new DuplicateKey(of.name, 'id', document.id)
    await this.#write(of, document, NO_ROWS)
    return document
  }

  async replace<T extends object>(of: Table<T, string>, given: Document<T>): Promise<Document<T>> {
    const document = withVersion(given, given.version + 1)
    const stored = await storedDocument(this.#session, of, document.id)
    if (!stored) throw new NoDocument(of.name, document.id)
    const { version } = stored.document
    if (version !== given.version) throw new StaleDocument(of.name, document.id, given.version, version)
    await this.#write(of, document, rowsOfStored(of, stored))
    return document
  }

  async remove<T extends object>(of: Table<T, string>, id: string): Promise<boolean> {
    const stored = await storedDocument(this.#session, of, id)
    if (!stored) return false
    const table = of
    const rows = rowsOfStored(table, stored)
    if (!rows) await removeAllRows(this.#session, table, id)
    await removeDocument(this.#session, table, id, rows ?? NO_ROWS)
    return true
  }

  /** @param before the existing rows of the document; null = unknown */
  async #write(of: AnyTable, document: AnyDocument, before: Rows | null): Promise<void> {
    const after = rowsOf(of, entryOf(of, document))
    const taken = await takenKey(this.#session, of, document.id, without(after.keys, (before ?? NO_ROWS).keys))
    if (taken) throw new DuplicateKey(of.name, taken.index, taken.given)
    if (!before) await removeAllRows(this.#session, of, document.id)
    await putDocument(this.#session, of, document, before ?? NO_ROWS, after)
  }
}

/** Returns the rows of a stored document; null if a release with other indexes wrote it. */
const rowsOfStored = (of: AnyTable, { document, shape }: { document: object; shape: string }): Rows | null =>
  shape === shapeOf(of) ? rowsOf(of, entryOf(of, document as AnyDocument)) : null
