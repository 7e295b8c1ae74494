/** The index: opened when it is first needed, made anew if it is damaged, and given up if its library or its file cannot be used. */
import { rmSync } from 'node:fs'
import { type Database, openDatabase } from './database.js'
import type { FactRow, FactsOptions } from './types.js'

/** What is derived from Git objects, by their IDs. Any row may be missing at any time: it can be made again. */
export interface Facts {
  /** The values of one kind that the index has, by object ID. */
  get(kind: string, oids: readonly string[]): Map<string, string>
  put(rows: readonly FactRow[]): void
  close(): void
}

/** Opens the index. Its file is opened, or made, when it is first used. */
export const openFacts = (options: FactsOptions): Facts => new FactIndex(options)

/** Damages in a row after which the index is not used until the next start. */
const MAX_DAMAGES = 3

class FactIndex implements Facts {
  #database: Database | null = null
  #damages = 0

  constructor(private readonly options: FactsOptions) {}

  get(kind: string, oids: readonly string[]): Map<string, string> {
    return this.#try((database) => database.get(kind, oids)) ?? new Map()
  }

  put(rows: readonly FactRow[]): void {
    this.#try((database) => database.put(rows))
  }

  close(): void {
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
      this.#dropDamaged(error)
      return null
    }
  }

  #giveUp(reason: string): null {
    this.#damages = MAX_DAMAGES
    this.options.notice(`The index ${this.options.file} is not used, since ${reason}. Pages are read again after each start.`)
    return null
  }

  #dropDamaged(error: unknown): void {
    this.options.notice(`The index ${this.options.file} cannot be read (${(error as Error).message}). It is made anew; nothing is lost.`)
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
