// Writes transactions to the log, several of them with a single sync of the disk.
import { required } from '../kernel/defined.js'
import type { Database } from './database.js'
import type { Log, Operation } from './log.js'
import { type TableChanges, type JournalAddition, operationsOf } from './transaction.js'

/** A transaction that waits for the disk. */
interface Waiting {
  readonly changes: readonly TableChanges[]
  readonly additions: readonly JournalAddition[]
  readonly ops: readonly Operation[]
  readonly text: string
  readonly done: (failure?: Failure) => void
}

/** The reason why staged transactions were undone. All of them reject with `cause`. */
export class Failure {
  constructor(readonly cause: unknown) {}
}

const MAX_BATCH_BYTES = 8 * 1024 * 1024

interface CommitterHooks {
  touch(table: string, owner: string): void
  /** Called between two appends, when memory and log agree. */
  appended(): Promise<void>
  failed(error: unknown, transactions: number): void
}

/**
 * Group commit: while one append is written to the disk, the following transactions are staged and wait. The next
 * append writes all of them. The tables in memory change after the append was synced. If it fails, everything staged is
 * undone.
 */
export class Committer {
  readonly #database: Database
  readonly #log: Log
  readonly #hooks: CommitterHooks
  // bound: transactions in progress
  #waiting: Waiting[] = []
  #flushing: Promise<void> | null = null
  #lastFailure: Failure | null = null
  /** Resolves when everything that is staged now is durable or undone. */
  #settled: Promise<Failure | undefined> = Promise.resolve(undefined)

  constructor(database: Database, log: Log, hooks: CommitterHooks) {
    this.#database = database
    this.#log = log
    this.#hooks = hooks
  }

  /** The last failure. If it changes during a transaction, the transaction has read data that was undone. */
  get lastFailure(): Failure | null {
    return this.#lastFailure
  }

  /** Resolves when everything that is staged now is durable, or with the failure if it was undone. */
  settled(): Promise<Failure | undefined> {
    return this.#settled
  }

  /** Resolves when nothing is being written. */
  async idle(): Promise<void> {
    await this.#flushing
  }

  /**
   * Stages changes, so that the next transaction sees them. Returns the result of `settled`. If it throws, nothing was
   * staged.
   */
  stage(changes: readonly TableChanges[], additions: readonly JournalAddition[]): Promise<Failure | undefined> {
    const ops: Operation[] = changes.flatMap(({ definition, changes: list }) => {
      const { staged } = this.#database.tableFor(definition)
      return list.flatMap((change) => operationsOf(definition.name, change, staged.entry(change.id)))
    })
    for (const { journal, group, position, at, record } of additions)
      ops.push({ c: journal, o: group, n: position, t: at, add: record })
    const text = JSON.stringify({ ops })
    for (const { definition, changes: list } of changes) {
      const { staged } = this.#database.tableFor(definition)
      for (const change of list) staged.set(change)
    }
    for (const one of additions) this.#database.journals.stage(one.journal, one.group, one)
    this.#settled = new Promise((resolve) => this.#waiting.push({ changes, additions, ops, text, done: resolve }))
    this.#flushing ??= this.#flush().finally(() => (this.#flushing = null))
    return this.#settled
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Transactions that are staged in the same turn of the event loop join the batch, for example an edit's events
      // and its audit entry.
      await new Promise((resolve) => setImmediate(resolve))
      const batch = this.#take()
      try {
        await this.#log.append(
          batch.map(({ text }) => text),
          this.#fresh(batch),
        )
      } catch (thrown) {
        this.#fail(thrown, batch)
        continue
      }
      for (const waiting of batch) this.#apply(waiting)
      this.#database.seq = this.#log.lastSeq
      for (const { done } of batch) done()
      await this.#hooks.appended()
    }
  }

  #take(): Waiting[] {
    let bytes = 0
    let end = 0
    while (end < this.#waiting.length && (end === 0 || bytes < MAX_BATCH_BYTES))
      bytes += required(this.#waiting[end++]).text.length
    return this.#waiting.splice(0, end)
  }

  /** Returns the checkpoint files that have documents for the first time after this batch. */
  #fresh(batch: readonly Waiting[]): [string, string][] {
    const seen = new Map<string, [string, string]>()
    for (const { ops } of batch)
      for (const { c, o } of ops) if (!this.#database.hasOwner(c, o)) seen.set(JSON.stringify([c, o]), [c, o])
    return [...seen.values()]
  }

  #apply({ changes, additions, ops }: Waiting): void {
    for (const one of additions) this.#database.journals.group(one.journal, one.group).settle(one)
    for (const { definition, changes: list } of changes) {
      const { durable, staged } = this.#database.tableFor(definition)
      for (const change of list) {
        if (change.entry) durable.put(change.entry)
        else durable.delete(change.id)
        staged.settle(change)
      }
    }
    for (const { c, o } of ops) this.#hooks.touch(c, o)
  }

  /** Undoes a failed batch. Transactions that were staged later may have read its data, so they fail as well. */
  #fail(thrown: unknown, batch: readonly Waiting[]): void {
    const failure = new Failure(thrown)
    const all = [...batch, ...this.#waiting]
    this.#waiting = []
    this.#lastFailure = failure
    this.#settled = Promise.resolve(undefined)
    this.#database.unstage()
    this.#hooks.failed(thrown, all.length)
    for (const { done } of all) done(failure)
  }
}
