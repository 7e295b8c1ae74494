/**
 * The SQLite file of the index: one row per object. Reads and writes are bulk operations, since each call into the
 * library costs more than a row.
 */
import { required } from '../kernel/defined.js'
import { closeSync, openSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import type libsql from 'libsql'
import { optionalLibrary } from '../kernel/optional-library.js'
import type { FactRow, FactsOptions } from './types.js'

type Library = typeof libsql
type Connection = InstanceType<Library>
type Statement = ReturnType<Connection['prepare']>
type Options = Omit<FactsOptions, 'notice'>

const Sqlite = optionalLibrary<Library>('libsql')

/** Number of rows that are read in one call, which takes one to a few milliseconds of the main thread. */
const ASKED_AT_ONCE = 200
/** Number of rows that are written in one call, which takes half a millisecond. */
export const WRITTEN_AT_ONCE = 32
/** Number of characters that are written between two checks of the file size. */
const LOOK_EVERY = 4 * 1024 * 1024
/** Number of oldest rows that are dropped at once when the file is too large. */
const DROPPED = 500

/** The version of the storage format. If it increases, older rows are dropped. */
const FORMAT = 2
/** Factor that combines the versions of the facts and the format in one number of the file. */
const FORMATS = 100
/** Number of checksum digits before each value. */
const SUM_LENGTH = 8

/** An open file. Its methods throw if it is damaged. */
export interface Database {
  get(kind: string, oids: readonly string[]): Map<string, string>
  put(rows: readonly FactRow[]): void
  close(): void
}

/** Opens or creates the file; null if there is no library for this machine. Throws if the file is damaged. */
export function openDatabase(options: Options): Database | null {
  return Sqlite === null ? null : new FactFile(Sqlite, options)
}

const columnOf = (kind: string): string => `"fact_${kind}"`
/** Rows are appended, so that writing takes no longer in a large file. Their IDs show which are the oldest. */
const schemaOf = (kinds: readonly string[]): string =>
  `CREATE TABLE IF NOT EXISTS facts (id INTEGER PRIMARY KEY, oid TEXT NOT NULL UNIQUE, ${kinds.map((kind) => `${columnOf(kind)} TEXT`).join(', ')})`
const insertOf = (kinds: readonly string[], rows: number): string =>
  `INSERT OR REPLACE INTO facts (oid, ${kinds.map(columnOf).join(', ')}) VALUES ${Array(rows)
    .fill(`(?${', ?'.repeat(kinds.length)})`)
    .join(', ')}`
/** Selects bytes, since the library ends the whole process at a text that is not valid UTF-8. */
const selectOf = (kind: string): string =>
  `SELECT CAST(group_concat(f.oid || ' ' || f.${columnOf(kind)}, char(10)) AS BLOB) AS rows FROM json_each(?) AS asked CROSS JOIN facts AS f ON f.oid = asked.value`
const DROP = 'DELETE FROM facts WHERE id IN (SELECT id FROM facts ORDER BY id LIMIT ?)'

/**
 * Returns the checksum of a value, which is stored before it. SQLite has none, and a flipped bit in a value would be
 * served as a fact.
 */
const sumOf = (oid: string, kind: string, value: string): string =>
  crc32(`${oid} ${kind} ${value}`).toString(16).padStart(SUM_LENGTH, '0')

class FactFile implements Database {
  readonly #kinds: readonly string[]
  readonly #sqlite: Connection
  readonly #selects: ReadonlyMap<string, Statement>
  readonly #insertMany: Statement
  readonly #insertOne: Statement
  readonly #maxBytes: number
  #written = 0

  constructor(library: Library, { file, kinds, version, maxBytes }: Options) {
    this.#maxBytes = maxBytes
    this.#kinds = kinds
    const stamp = version * FORMATS + FORMAT
    // Only the owner can read it, because it contains data from private spaces. SQLite gives its other files the same
    // mode.
    closeSync(openSync(file, 'a', 0o600))
    this.#sqlite = new library(file)
    // Writes are not synced. Rows lost in a power failure, or a damaged file, are rebuilt.
    for (const pragma of ['journal_mode = WAL', 'synchronous = OFF', 'journal_size_limit = 16777216'])
      this.#sqlite.pragma(pragma)
    if (this.#pragma('user_version') !== stamp)
      this.#sqlite.exec(`DROP TABLE IF EXISTS facts; PRAGMA user_version = ${stamp}`)
    this.#sqlite.exec(schemaOf(kinds))
    this.#selects = new Map(kinds.map((kind) => [kind, this.#sqlite.prepare(selectOf(kind))]))
    this.#insertMany = this.#sqlite.prepare(insertOf(kinds, WRITTEN_AT_ONCE))
    this.#insertOne = this.#sqlite.prepare(insertOf(kinds, 1))
  }

  get(kind: string, oids: readonly string[]): Map<string, string> {
    const found = new Map<string, string>()
    for (let from = 0; from < oids.length; from += ASKED_AT_ONCE) {
      const asked = JSON.stringify(oids.slice(from, from + ASKED_AT_ONCE))
      const { rows } = required(this.#selects.get(kind)).get([asked]) as { rows: Buffer | null }
      for (const row of rows?.toString('utf8').split('\n') ?? []) {
        const end = row.indexOf(' ')
        const [oid, value] = [row.slice(0, end), row.slice(end + 1 + SUM_LENGTH)]
        if (row.slice(end + 1, end + 1 + SUM_LENGTH) !== sumOf(oid, kind, value))
          throw new Error('the checksum of a row is wrong')
        found.set(oid, value)
      }
    }
    return found
  }

  put(rows: readonly FactRow[]): void {
    const many = rows.length - (rows.length % WRITTEN_AT_ONCE)
    for (let from = 0; from < many; from += WRITTEN_AT_ONCE)
      this.#insertMany.run(this.#parameters(rows.slice(from, from + WRITTEN_AT_ONCE)))
    for (const row of rows.slice(many)) this.#insertOne.run(this.#parameters([row]))
    if (this.#written < LOOK_EVERY) return
    this.#written = 0
    this.#dropOldest()
  }

  /** Returns the values of rows, one after the other. */
  #parameters(rows: readonly FactRow[]): (string | null)[] {
    return rows.flatMap(({ oid, values }) => {
      for (const value of values) this.#written += value?.length ?? 0
      return [oid, ...values.map((value, index) => value && sumOf(oid, required(this.#kinds[index]), value) + value)]
    })
  }

  /**
   * Drops the oldest rows. SQLite reuses their space, so the file exceeds its limit at most by the amount written
   * between two checks.
   */
  #dropOldest(): void {
    const drop = this.#sqlite.prepare(DROP)
    while (this.#used() > this.#maxBytes && drop.run(DROPPED).changes > 0);
  }

  #used(): number {
    return (this.#pragma('page_count') - this.#pragma('freelist_count')) * this.#pragma('page_size')
  }

  #pragma(name: string): number {
    return Number(Object.values(this.#sqlite.prepare(`PRAGMA ${name}`).get() as object)[0])
  }

  close(): void {
    this.#sqlite.close()
  }
}
