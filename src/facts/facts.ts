/**
 * The index. It is opened on demand, recreated if it is damaged, and disabled if its library or file cannot be used.
 */
import { asError } from '../kernel/thrown.js'
import { rmSync } from 'node:fs'
import { isRefusedWrite } from '../disk/folder-watch.js'
import { type Database, openDatabase } from './database.js'
import type { FactRow, FactsOptions } from './types.js'
import { WaitingRows } from './waiting-rows.js'

/** Values derived from Git objects, by object ID. Any row may be missing at any time, because it can be rebuilt. */
export interface FactsIndex {
  /** Returns the available values of one kind by object ID. */
  get(kind: string, oids: readonly string[]): Map<string, string>
  /** Returns the row of an object if it was added recently. */
  recent(oid: string): FactRow | undefined
  /** Adds rows. They can be read at once, and are written a little later, so that no request waits. */
  put(rows: readonly FactRow[]): void
  /** Writes all pending rows. */
  close(): void
}

/** Opens the index. Its file is opened or created at first use. */
export const openFacts = (options: FactsOptions): FactsIndex => new FactIndex(options)

/** Maximum length of a stored value in characters, because the results of one call are held in memory several times. */
const MAX_VALUE = 64 * 1024
/** Number of times that the file may be damaged. After that, the index is not used until the next start. */
const MAX_DAMAGES = 3

class FactIndex implements FactsIndex {
  #database: Database | null = null
  #damages = 0
  /** Whether a rejected write to the file was reported. It is reported only once. */
  #isRefused = false
  readonly #waiting: WaitingRows

  constructor(private readonly options: FactsOptions) {
    this.#waiting = new WaitingRows(options.kinds, (rows) => void this.#try((database) => database.put(rows)))
  }

  get(kind: string, oids: readonly string[]): Map<string, string> {
    const found = this.#waiting.get(kind, oids)
    const others = found.size === 0 ? oids : oids.filter((oid) => !found.has(oid))
    const written = others.length === 0 ? null : this.#try((database) => database.get(kind, others))
    for (const [oid, value] of written ?? []) found.set(oid, value)
    return found
  }

  recent(oid: string): FactRow | undefined {
    return this.#waiting.row(oid)
  }

  put(rows: readonly FactRow[]): void {
    if (this.#damages >= MAX_DAMAGES) return
    this.#waiting.add(
      rows.map(({ oid, values }) => ({
        oid,
        values: values.map((value) => (value !== null && value.length <= MAX_VALUE ? value : null)),
      })),
    )
  }

  close(): void {
    this.#waiting.close()
    this.#database?.close()
    this.#database = null
    this.#damages = MAX_DAMAGES
  }

  /**
   * Runs work on the database; null if it cannot be used. Deletes a damaged file, so that the next call recreates it.
   */
  #try<T>(work: (database: Database) => T): T | null {
    if (this.#damages >= MAX_DAMAGES) return null
    try {
      this.#database ??= openDatabase(this.options)
      if (this.#database === null) return this.#giveUp('its library cannot be loaded on this machine')
      return work(this.#database)
    } catch (error) {
      // A full disk or a missing permission does not mean damage: the file can still be read.
      if (isRefusedWrite(error)) this.#noteRefusal(asError(error))
      else this.#dropDamaged(error)
      return null
    }
  }

  #noteRefusal({ message }: Error): void {
    if (this.#isRefused) return
    this.#isRefused = true
    this.options.notice(
      `The index ${this.options.file} cannot be written (${message}). Until it can, pages are read again on demand.`,
    )
  }

  #giveUp(reason: string): null {
    this.#damages = MAX_DAMAGES
    this.options.notice(
      `The index ${this.options.file} is not used because ${reason}. Pages are read again after each start.`,
    )
    return null
  }

  #dropDamaged(error: unknown): void {
    this.options.notice(
      `The index ${this.options.file} cannot be read (${asError(error).message}). The server rebuilds it, and nothing is lost.`,
    )
    try {
      this.#database?.close()
    } catch {
      // The file is deleted in any case.
    }
    this.#database = null
    this.#damages++
    try {
      for (const end of ['', '-wal', '-shm']) rmSync(this.options.file + end, { force: true })
    } catch (failure) {
      this.#giveUp(`its file cannot be replaced (${asError(failure).message})`)
    }
  }
}
