/** The embedded store: opens, runs and queues transactions, and decides when a checkpoint is due. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Checkpointer } from './checkpointer.js'
import { Committer, type Failure } from './committer.js'
import type { Damages } from './damages.js'
import type { Database } from './database.js'
import { LogFull, StoreClosed, type StoreDamaged } from './errors.js'
import type { Lock } from '../disk/folder-lock.js'
import type { Log } from './log.js'
import type { RangePage, PageRange } from '../kernel/paging.js'
import { checkIndex, listOf, OpenTransaction, orderOf } from './transaction.js'
import type { JournalPage, Journal, JournalQuery } from '../kernel/documents.js'
import type { Journals } from './journal/journals.js'
import { readGroup } from './journal/read.js'
import type { Recording } from '../kernel/recording.js'
import { Sequence } from '../kernel/turns.js'
import { recordedStore } from './recorded-store.js'
import { SingleWrites } from './single-writes.js'
import type { Table, Document, Store, StoreEvent, Transaction } from './types.js'
import { type AnyTable, stretchOf, documentIn } from './view.js'

/** The parts that `openStore` assembles. */
interface StoreParts {
  readonly database: Database
  readonly log: Log
  readonly checkpointer: Checkpointer
  readonly lock: Lock
  readonly migrated: number
  readonly checkpointAfterBytes: number
  /** Size of the log in bytes at which changes are rejected while checkpoints must wait. */
  readonly maxKeptLogBytes: number
  /** Size in bytes of the segments of the log before the newest one. */
  readonly olderBytes: number
  /** Whether the next append starts a checkpoint, to replace files with corrected bits. */
  readonly renews: boolean
  /** A line for each file that the start repaired. */
  readonly repaired: readonly string[]
  readonly tell: (event: StoreEvent) => void
}

/**
 * The store: tables in memory, a log, and checkpoints. Transactions run one after another. Each resolves when it is
 * durable.
 */
export class EmbeddedStore extends SingleWrites implements Store {
  readonly #parts: StoreParts
  readonly #committer: Committer
  /** The transaction in which the current code runs, if any. */
  readonly #running = new AsyncLocalStorage<OpenTransaction>()
  /** Number of transactions that run or wait for their turn. */
  #unfinished = 0
  readonly #turns = new Sequence()
  #checkpoint: Promise<void> | null = null
  /** Size in bytes of the segments of the log before the newest one. A checkpoint deletes them. */
  #olderBytes: number
  /** The log size at which the next checkpoint starts. */
  #checkpointAt: number
  #closing: Promise<void> | null = null

  constructor(parts: StoreParts) {
    super()
    this.#parts = parts
    this.#olderBytes = parts.olderBytes
    this.#checkpointAt = parts.renews ? 0 : parts.checkpointAfterBytes
    this.#committer = new Committer(parts.database, parts.log, {
      touch: (table, owner) => parts.checkpointer.touch(table, owner),
      failed: (error, transactions) => parts.tell({ event: 'append-failed', error, transactions }),
      appended: () => this.#rotateWhenLong(),
    })
  }

  async transact<R>(work: (tx: Transaction) => Promise<R>): Promise<R> {
    if (this.#closing) throw new StoreClosed()
    if (this.#running.getStore()?.isOver === false)
      throw new Error('a transaction within a transaction would wait for itself. Use the `tx` of the outer one')
    this.#unfinished++
    const { settled, outcome } = await this.#turns.run(() => this.#run(work))
    // A transaction that wrote nothing, or threw, may have read data that is not durable yet. Its result waits until
    // the data is durable.
    const failure = await settled
    if ('thrown' in outcome) throw outcome.thrown
    if (failure) throw failure.cause
    return outcome.value
  }

  /** Runs the part of a transaction during which no other one runs. */
  async #run<R>(
    work: (tx: Transaction) => Promise<R>,
  ): Promise<{ settled: Promise<Failure | undefined>; outcome: { value: R } | { thrown: unknown } }> {
    const before = this.#committer.lastFailure
    const tx = new OpenTransaction(this.#parts.database)
    try {
      const value = await this.#running.run(tx, () => work(tx))
      const failure = this.#committer.lastFailure
      if (failure && failure !== before) throw failure.cause
      const changes = tx.changes()
      if (changes.length + tx.additions.length === 0) return { settled: this.#committer.settled(), outcome: { value } }
      const { full } = this
      if (full) throw full
      return { settled: this.#committer.stage(changes, tx.additions), outcome: { value } }
    } catch (thrown) {
      return { settled: this.#committer.settled(), outcome: { thrown } }
    } finally {
      tx.end()
      // Before Node 24, an AsyncLocalStorage in use slows down all promises of the process. `run` enables it again.
      if (--this.#unfinished === 0) this.#running.disable()
    }
  }

  #table(of: AnyTable) {
    if (this.#closing) throw new StoreClosed()
    return this.#parts.database.tableFor(of).durable
  }

  async get<T extends object>(of: Table<T, string>, id: string): Promise<Document<T> | null> {
    const entry = this.#table(of).entry(id)
    if (!entry) this.#damages.checkAbsent(of.name)
    return entry ? documentIn<T>(entry) : null
  }

  get #damages(): Damages {
    return this.#parts.database.damages
  }

  async find<T extends object, I extends string>(of: Table<T, I>, index: I, key: string): Promise<Document<T>[]> {
    checkIndex(of, index)
    const table = this.#table(of)
    this.#damages.checkKey(of, index, key, table.count(index, key))
    return listOf(table, table.ids(index, key))
  }

  async count<T extends object, I extends string>(of: Table<T, I>, index: I, key: string): Promise<number> {
    checkIndex(of, index)
    const count = this.#table(of).count(index, key)
    this.#damages.checkKey(of, index, key, count)
    return count
  }

  async page<T extends object, O extends string>(
    of: Table<T, string, O>,
    order: O,
    group: string,
    stretch: PageRange,
  ): Promise<RangePage<T>> {
    if (!stretch.intact) this.#damages.checkAbsent(of.name)
    return stretchOf(this.#table(of), orderOf(of, order), group, stretch)
  }

  async all<T extends object>(of: Table<T, string>): Promise<Document<T>[]> {
    this.#damages.checkAbsent(of.name)
    return this.intact(of)
  }

  async intact<T extends object>(of: Table<T, string>): Promise<Document<T>[]> {
    return Array.from(this.#table(of).entries(), documentIn<T>)
  }

  #journals(): Journals {
    if (this.#closing) throw new StoreClosed()
    return this.#parts.database.journals
  }

  get damaged(): readonly StoreDamaged[] {
    return this.#damages.all
  }

  async damages(): Promise<string[]> {
    return [
      ...new Set([
        ...this.#parts.repaired,
        ...this.damaged.map(({ message }) => message),
        ...(await this.#journals().damages()),
      ]),
    ]
  }

  logBytes(): Promise<number> {
    return this.#parts.log.bytes()
  }

  get full(): LogFull | null {
    const { log, maxKeptLogBytes } = this.#parts
    const { first } = this.#damages
    const bytes = this.#olderBytes + log.length
    return first !== null && bytes >= maxKeptLogBytes ? new LogFull(first, bytes) : null
  }

  async read<T extends object>(of: Journal<T>, group: string, query: JournalQuery<T>): Promise<JournalPage<T>> {
    const journals = this.#journals()
    return readGroup(journals.fs, of, journals.group(of.name, group), [], query)
  }

  async extent(of: Journal<never>, group: string): Promise<{ count: number; next: number }> {
    const { first, next } = this.#journals().group(of.name, group)
    return { count: next - first, next }
  }

  async groups(of: Journal<never>): Promise<string[]> {
    return this.#journals().names(of.name)
  }

  async drop(of: Journal<never>, group: string, before: number): Promise<number> {
    const dropped = this.#journals().find(of.name, group)?.dropBefore(before) ?? 0
    if (dropped > 0) this.#parts.checkpointer.touch(of.name, group)
    return dropped
  }

  recorded(recording: Recording): Store {
    return recordedStore(this, recording, (of) => this.#table(of))
  }

  /** Whether checkpoints must wait: the log may contain the documents of a damaged file, which is to be repaired first. */
  get #keepsLog(): boolean {
    return this.#damages.first !== null
  }

  /**
   * Called between two appends. If the log is long, starts a new segment, and writes checkpoints while work continues.
   */
  async #rotateWhenLong(): Promise<void> {
    const { log, checkpointAfterBytes } = this.#parts
    if (this.#keepsLog || this.#checkpoint || log.length < this.#checkpointAt || log.isFresh) return
    const { length } = log
    try {
      await log.rotate()
      this.#olderBytes += length
      this.#checkpointAt = checkpointAfterBytes
      this.#checkpoint = this.#writeCheckpoints().finally(() => (this.#checkpoint = null))
    } catch (error) {
      // Nothing is lost, but the log stays long. Try again when it has grown by the same amount.
      this.#checkpointAt = log.length + checkpointAfterBytes
      this.#parts.tell({ event: 'checkpoint-failed', error })
    }
  }

  async #writeCheckpoints(): Promise<void> {
    const started = performance.now()
    const seq = this.#parts.database.seq
    try {
      const files = await this.#parts.checkpointer.run(this.#parts.migrated)
      this.#olderBytes = 0
      this.#parts.tell({ event: 'checkpoint', files, seq, milliseconds: performance.now() - started })
    } catch (error) {
      this.#parts.tell({ event: 'checkpoint-failed', error })
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const { log, checkpointer, lock, tell } = this.#parts
    try {
      await this.#turns.idle()
      await this.#committer.idle()
      await this.#checkpoint
      if (checkpointer.isClean || this.#keepsLog) return
      try {
        await log.rotate()
      } catch (error) {
        tell({ event: 'checkpoint-failed', error })
        return
      }
      await this.#writeCheckpoints()
    } finally {
      await log.close().catch(() => undefined)
      lock.release()
    }
  }
}
