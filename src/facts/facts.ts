/** The index: opened when it is first needed, made anew if it is damaged, and given up if its library or its file cannot be used. */
import { rmSync } from 'node:fs'
import { isRefusedWrite } from '../disk/folder-watch.js'
import { type Database, openDatabase } from './database.js'
import type { FactRow, FactsOptions } from './types.js'
import { WaitingRows } from './waiting-rows.js'

/** What is derived from Git objects, by their IDs. Any row may be missing at any time: it can be made again. */
export interface FactsIndex {
  /** The values of one kind that the index has, by object ID. */
  get(kind: string, oids: readonly string[]): Map<string, string>
  /** The row of an object, if it was added lately. */
  recent(oid: string): FactRow | undefined
  /** Adds rows. They can be read at once, and are written a little later, so that nobody waits for it. */
  put(rows: readonly FactRow[]): void
  /** Writes what is not yet written. */
  close(): void
}

/** Opens the index. Its file is opened, or made, when it is first used. */
export const openFacts = (options: FactsOptions): FactsIndex => new FactIndex(options)

/** Longest value, in characters, that is kept: what is asked for in one call is held in memory several times. */
const MAX_VALUE = 64 * 1024
/** Damages in a row after which the index is not used until the next start. */
const MAX_DAMAGES = 3

class FactIndex implements FactsIndex {
  #database: Database | null = null
  #damages = 0
  /** Whether the operating system refused to write the file, which is reported once. */
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

  /** Runs work on the database; null if it cannot be used. A damaged file is deleted, so that the next call makes it anew. */
  #try<T>(work: (database: Database) => T): T | null {
    if (this.#damages >= MAX_DAMAGES) return null
    try {
      this.#database ??= openDatabase(this.options)
      if (this.#database === null) return this.#giveUp('its library cannot be loaded on this machine')
      return work(this.#database)
    } catch (error) {
      // A full disk or a missing permission is no damage.
      if (isRefusedWrite(error)) this.#noteRefusal(error as Error)
      else this.#dropDamaged(error)
      return null
    }
  }

  #noteRefusal({ message }: Error): void {
    if (this.#isRefused) return
    this.#isRefused = true
    this.options.notice(
      `The index ${this.options.file} cannot be written to (${message}). Until it can, pages are read again when they are needed.`,
    )
  }

  #giveUp(reason: string): null {
    this.#damages = MAX_DAMAGES
    this.options.notice(
      `The index ${this.options.file} is not used, since ${reason}. Pages are read again after each start.`,
    )
    return null
  }

  #dropDamaged(error: unknown): void {
    this.options.notice(
      `The index ${this.options.file} cannot be read (${(error as Error).message}). It is rebuilt; nothing is lost.`,
    )
    try {
      this.#database?.close()
    } catch {
      // It is deleted in any case.
    }
    this.#database = null
    this.#damages++
    try {
      for (const end of ['', '-wal', '-shm']) rmSync(this.options.file + end, { force: true })
    } catch (failure) {
      this.#giveUp(`its file cannot be replaced (${(failure as Error).message})`)
    }
  }
}
