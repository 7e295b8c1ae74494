/** The SQLite file of the index: one table, read and written in bulk, since each call into the library costs more than a row. */
import { closeSync, openSync } from 'node:fs'
import type libsql from 'libsql'
import type { FactRow, FactsOptions } from './types.js'

type Library = typeof libsql

async function load(): Promise<Library | null> {
  try {
    return (await import('libsql')).default
  } catch {
    return null
  }
}

const Sqlite = await load()

/** Rows that are asked for, or written, in one call: a millisecond of the main thread, or a few. */
const AT_ONCE = 200
/** Longest value, in characters, that is kept: what is asked for in one call is held in memory several times. */
const MAX_VALUE = 64 * 1024
/** How many characters are written between two looks at the size of the file. */
const LOOK_EVERY = 4 * 1024 * 1024
/** How many of the oldest rows are dropped at once when the file is too large. */
const DROPPED = 2_000

/** An open file. Its methods throw if it is damaged. */
export interface Database {
  get(kind: string, oids: readonly string[]): Map<string, string>
  put(rows: readonly FactRow[]): void
  close(): void
}

/** Opens the file, or makes it; null if there is no library for this machine. Throws if the file is damaged. */
export function openDatabase(options: Pick<FactsOptions, 'file' | 'version' | 'maxBytes'>): Database | null {
  return Sqlite === null ? null : new FactFile(Sqlite, options)
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS facts (kind TEXT NOT NULL, oid TEXT NOT NULL, value TEXT NOT NULL, made INTEGER NOT NULL, PRIMARY KEY (kind, oid)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS facts_by_time ON facts (made);
`
const SELECT =
  "SELECT group_concat(f.oid || ' ' || f.value, char(10)) AS rows FROM json_each(?) AS asked CROSS JOIN facts AS f ON f.oid = asked.value AND f.kind = ?"
const INSERT = "INSERT OR REPLACE INTO facts SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'), ? FROM json_each(?)"
const DROP = 'DELETE FROM facts WHERE (kind, oid) IN (SELECT kind, oid FROM facts ORDER BY made LIMIT ?)'

class FactFile implements Database {
  readonly #sqlite: InstanceType<Library>
  readonly #select: ReturnType<InstanceType<Library>['prepare']>
  readonly #insert: ReturnType<InstanceType<Library>['prepare']>
  readonly #maxBytes: number
  #written = 0

  constructor(library: Library, { file, version, maxBytes }: Pick<FactsOptions, 'file' | 'version' | 'maxBytes'>) {
    this.#maxBytes = maxBytes
    // For the owner alone: it holds what is in private spaces. SQLite gives its other files the same mode.
    closeSync(openSync(file, 'a', 0o600))
    this.#sqlite = new library(file)
    // What a power cut takes away is made again; a file that it damages is made anew.
    for (const pragma of ['journal_mode = WAL', 'synchronous = OFF', 'journal_size_limit = 16777216']) this.#sqlite.pragma(pragma)
    if (this.#pragma('user_version') !== version) this.#sqlite.exec(`DROP TABLE IF EXISTS facts; PRAGMA user_version = ${version}`)
    this.#sqlite.exec(SCHEMA)
    this.#select = this.#sqlite.prepare(SELECT)
    this.#insert = this.#sqlite.prepare(INSERT)
  }

  get(kind: string, oids: readonly string[]): Map<string, string> {
    const found = new Map<string, string>()
    for (let from = 0; from < oids.length; from += AT_ONCE) {
      const { rows } = this.#select.get([JSON.stringify(oids.slice(from, from + AT_ONCE)), kind]) as { rows: string | null }
      for (const row of rows?.split('\n') ?? []) found.set(row.slice(0, row.indexOf(' ')), row.slice(row.indexOf(' ') + 1))
    }
    return found
  }

  put(rows: readonly FactRow[]): void {
    const kept = rows.filter(({ value }) => value.length <= MAX_VALUE)
    for (let from = 0; from < kept.length; from += AT_ONCE) {
      const some = kept.slice(from, from + AT_ONCE).map(({ kind, oid, value }) => [kind, oid, value])
      this.#insert.run([Date.now(), JSON.stringify(some)])
      this.#written += some.reduce((sum, row) => sum + row.join().length, 0)
    }
    if (this.#written < LOOK_EVERY) return
    this.#written = 0
    this.#dropOldest()
  }

  /** SQLite uses the room of dropped rows again, so the file does not grow beyond its limit by more than is written between two looks. */
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
