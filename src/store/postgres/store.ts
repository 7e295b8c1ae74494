/** The store on PostgreSQL: documents and journals that several processes can share. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Journal, JournalQuery } from '../../kernel/documents.js'
import type { PageRange } from '../../kernel/paging.js'
import type { Recording } from '../../kernel/recording.js'
import { TurnQueue } from '../../kernel/turns.js'
import { constraintOf, type Database, DatabaseAway, type News, type Session } from '../../postgres/index.js'
import { StoreClosed } from '../errors.js'
import { recordedStore, type Stamps } from '../recorded-store.js'
import { SingleWrites } from '../single-writes.js'
import type { Document, SharedStore, Store, Table, Transaction } from '../types.js'
import type { AnyTable } from '../view.js'
import { keyText } from './encoding.js'
import { deleteDropped, dropRecords, extentOf, groupNames } from './journal-rows.js'
import { joinLengths } from './list-lengths.js'
import { readRecords } from './read-journal.js'
import { allDocuments, countDocuments, findDocuments, readStretch, storedDocument } from './read-documents.js'
import { PostgresTransaction } from './transaction.js'

/**
 * Maximum number of concurrent transactions. The pool has the same number of additional connections for reads, because
 * the work of a transaction may also read outside the transaction.
 */
const TRANSACTIONS_AT_ONCE = 5
export const CONNECTIONS = 2 * TRANSACTIONS_AT_ONCE
/** Number of the attempt at which a conflicting transaction waits until it can run alone. */
const ALONE_FROM = 3

/**
 * Returns the statement that takes the lock shared by all transactions, or held alone by an exclusive one. `LOCK TABLE`
 * waits before the transaction's snapshot is taken.
 */
const turnOf = (attempt: number): string =>
  `LOCK TABLE document_turns IN ${attempt < ALONE_FROM ? 'ROW EXCLUSIVE' : 'EXCLUSIVE'} MODE`

/**
 * Whether a transaction must run again: two transactions may search for a key before either has written it. The later
 * one runs again and then finds it.
 */
const metAKey = (error: unknown): boolean => constraintOf(error) !== null

export class PostgresStore extends SingleWrites implements SharedStore {
  readonly #database: Database
  readonly #stamps: ReturnType<typeof stampsOf> | null
  readonly #closed: () => Promise<void>
  /** The transaction in which the current code runs, if any. */
  readonly #running = new AsyncLocalStorage<PostgresTransaction>()
  // bound: requests and jobs in progress
  readonly #turns = new TurnQueue({ atOnce: TRANSACTIONS_AT_ONCE, waiting: Number.POSITIVE_INFINITY })
  readonly #unfinished = new Set<Promise<unknown>>()
  #closing: Promise<void> | null = null

  /** @param closed called when the store no longer uses the database */
  constructor(database: Database, news: News | null, closed: () => Promise<void>) {
    super()
    this.#database = database
    this.#stamps = news && stampsOf(news)
    this.#closed = closed
  }

  async ask(): Promise<void> {
    const setting = "SELECT current_setting('transaction_read_only') = 'on' AS \"isReadOnly\""
    const [answer] = await this.#begin((database) => database.query<{ isReadOnly: boolean }>(setting))
    if (answer?.isReadOnly) throw new DatabaseAway(new Error('the database is read-only'))
  }

  upkeep(): Promise<void> {
    return this.#begin(joinLengths)
  }

  afterwards(work: () => void): void {
    const running = this.#running.getStore()
    if (running?.isOver === false) running.afterwards.push(work)
    else work()
  }

  /** Tracks work in progress, so that `close` waits for it. Throws `StoreClosed`. */
  #begin<R>(work: (database: Database) => Promise<R>): Promise<R> {
    if (this.#closing) return Promise.reject(new StoreClosed())
    const running = work(this.#database)
    const settled = running.catch(() => undefined).finally(() => this.#unfinished.delete(settled))
    this.#unfinished.add(settled)
    return running
  }

  async transact<R>(work: (tx: Transaction) => Promise<R>): Promise<R> {
    if (this.#running.getStore()?.isOver === false)
      throw new Error('a transaction within a transaction would wait for itself. Use the `tx` of the outer one')
    return this.#begin((database) =>
      this.#turns.run(() =>
        (async () => {
          // The last attempt is the one that is committed.
          let last: PostgresTransaction | undefined
          const once = (session: Session) => this.#run((last = new PostgresTransaction(session)), work)
          const value = await database.transact(once, 'SERIALIZABLE', { first: turnOf, again: metAKey })
          for (const then of last?.afterwards ?? []) then()
          return value
        })(),
      ),
    )
  }

  async #run<R>(tx: PostgresTransaction, work: (tx: Transaction) => Promise<R>): Promise<R> {
    try {
      const value = await this.#running.run(tx, () => work(tx))
      if (tx.failure !== null) throw tx.failure
      return value
    } catch (thrown) {
      throw tx.failure ?? thrown
    } finally {
      tx.end()
    }
  }

  get<T extends object>(of: Table<T, string>, id: string): Promise<Document<T> | null> {
    return this.#begin(async (database) => (await storedDocument(database, of, id))?.document ?? null)
  }
  find<T extends object, I extends string>(of: Table<T, I>, index: I, key: string): Promise<Document<T>[]> {
    return this.#begin((database) => findDocuments(database, of, index, key))
  }
  count<T extends object, I extends string>(of: Table<T, I>, index: I, key: string): Promise<number> {
    return this.#begin((database) => countDocuments(database, of, index, key))
  }
  all<T extends object>(of: Table<T, string>): Promise<Document<T>[]> {
    return this.#begin((database) => allDocuments(database, of))
  }
  intact<T extends object>(of: Table<T, string>): Promise<Document<T>[]> {
    return this.all(of)
  }
  page<T extends object, O extends string>(of: Table<T, string, O>, order: O, group: string, stretch: PageRange) {
    return this.#begin((database) => readStretch(database, of, order, group, stretch))
  }
  read<T extends object>(of: Journal<T>, group: string, query: JournalQuery<T>) {
    return this.#begin((database) => readRecords(database, of, group, query))
  }
  extent(of: Journal<never>, group: string) {
    return this.#begin((database) => extentOf(database, of.name, group))
  }
  groups(of: Journal<never>): Promise<string[]> {
    return this.#begin((database) => groupNames(database, of.name))
  }

  drop(of: Journal<never>, group: string, before: number): Promise<number> {
    return this.#begin(async (database) => {
      const dropped = await database.transact((session) => dropRecords(session, of.name, group, before))
      while (await deleteDropped(database, of.name, group));
      return dropped
    })
  }

  /**
   * Returns a store that records its reads. Without news, only the database knows whether another process has changed a
   * document.
   */
  recorded(recording: Recording): Store {
    if (this.#stamps) return recordedStore(this, recording, this.#stamps)
    recording.recordUnknown()
    return this
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    while (this.#unfinished.size > 0) await Promise.all(this.#unfinished)
    await this.#closed()
  }
}

/** Returns the stamps of a table. They are as current as the last query for news. */
function stampsOf(news: News): (of: AnyTable) => Stamps {
  // bound: the tables of the service
  const known = new WeakMap<AnyTable, Stamps>()
  return (of) => {
    const stamps = known.get(of) ?? tableStamps(news, of.name)
    known.set(of, stamps)
    return stamps
  }
}

const tableStamps = (news: News, table: string): Stamps => ({
  get version() {
    return news.version
  },
  stamp: (id) => news.stamp(`d ${table} ${keyText(id)}`),
  keyStamp: (index, key) => news.stamp(`k ${table} ${index} ${keyText(key)}`),
  keysFollowDocuments: false,
})
