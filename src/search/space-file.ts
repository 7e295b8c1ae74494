/** The SQLite file of one space: its pages, the texts of their blobs by section, and their words. */
import { closeSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import Sqlite from 'libsql'

/** Increases if the words of a text or the tables change. A file of another version is rebuilt. */
const VERSION = 5

/**
 * `words` counts the sections and the page titles that contain a word. SQLite's own vocabulary would count them by
 * reading all matches of the word. The first column of a full-text table needs the fewest bytes per word, so the text
 * is the first one.
 */
const SCHEMA = `
  CREATE TABLE state (revision TEXT);
  CREATE TABLE blobs (id INTEGER PRIMARY KEY, oid TEXT NOT NULL UNIQUE, about TEXT NOT NULL);
  CREATE TABLE sections (id INTEGER PRIMARY KEY, sum INTEGER NOT NULL, anchor TEXT, title TEXT NOT NULL, text TEXT NOT NULL);
  CREATE TABLE pages (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, blob INTEGER NOT NULL, title TEXT NOT NULL, path TEXT NOT NULL, sum INTEGER NOT NULL, words TEXT NOT NULL);
  CREATE INDEX pages_by_blob ON pages (blob);
  CREATE VIRTUAL TABLE section_words USING fts5(text, title, about, content='', contentless_delete=1, tokenize='ascii');
  CREATE VIRTUAL TABLE page_words USING fts5(title, content='', contentless_delete=1, tokenize='ascii');
  CREATE TABLE words (word TEXT PRIMARY KEY, sections INTEGER NOT NULL, titles INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX words_of_titles ON words (word) WHERE titles > 0;
  CREATE TABLE forms (hash INTEGER NOT NULL, word TEXT NOT NULL, PRIMARY KEY (hash, word)) WITHOUT ROWID;
`
const ENDS = ['', '-wal', '-shm']

/**
 * Number of bits for the section number in a section ID. The other bits are the blob ID, so that the blob is known
 * without reading the (large) table of texts.
 */
export const SECTION_BITS = 12
/** Maximum number of sections of a blob. */
export const MAX_SECTIONS = 2 ** SECTION_BITS

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Returns SQL that selects a text as bytes. The library ends the whole process if a text is not valid UTF-8, for
 * example after a bit flip.
 */
export const textOf = (column: string): string => `CAST(${column} AS BLOB)`

/** Returns the checksum of the values of a row that readers see. SQLite has none, so a bit flip would go unnoticed. */
export const sumOf = (...values: readonly (string | number | null)[]): number => crc32(JSON.stringify(values))

/** Throws if a row differs from what was written, because the file is then damaged. */
export function verifyChecksum(sum: number, ...values: readonly (string | number | null)[]): void {
  if (sumOf(...values) !== sum) throw new Error('the checksum of a row is wrong')
}

/** Deletes the files of an index. */
export function removeFiles(path: string): void {
  for (const end of ENDS) rmSync(path + end, { force: true, recursive: true })
}

type Statement = ReturnType<InstanceType<typeof Sqlite>['prepare']>

function openSqlite(path: string): InstanceType<typeof Sqlite> {
  // Only the owner may access the file, because it contains text from private spaces. SQLite gives its other files
  // the same mode.
  closeSync(openSync(path, 'a', 0o600))
  const sqlite = new Sqlite(path)
  // Rows of texts fill pages of 8 KiB better than pages of 4 KiB. Writes are not synced. Rows lost in a power cut, or a
  // damaged file, are rebuilt.
  for (const pragma of [
    'page_size = 8192',
    'journal_mode = WAL',
    'synchronous = OFF',
    'journal_size_limit = 16777216',
    'busy_timeout = 2000',
    'cache_size = -4096',
  ])
    sqlite.pragma(pragma)
  return sqlite
}

const versionOf = (sqlite: InstanceType<typeof Sqlite>): number =>
  Number(sqlite.prepare('PRAGMA user_version').raw().all().flat()[0])

/** An open file. Every call throws if the file is damaged. */
export class SpaceFile {
  readonly #sqlite: InstanceType<typeof Sqlite>
  // Size limit: the number of statements in this folder
  readonly #statements = new Map<string, Statement>()
  /** The inode of the opened file. Another file may replace it. */
  readonly #inode: number

  constructor(readonly path: string) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const opened = openSqlite(path)
    if (![0, VERSION].includes(versionOf(opened))) {
      opened.close()
      removeFiles(path)
      this.#sqlite = openSqlite(path)
    } else this.#sqlite = opened
    this.#inode = statSync(path).ino
    this.#create()
  }

  #create(): void {
    if (versionOf(this.#sqlite) === VERSION) return
    this.transact(() => {
      // Another thread may have created it in the meantime.
      if (versionOf(this.#sqlite) !== VERSION)
        this.#sqlite.exec(`${SCHEMA} INSERT INTO state VALUES (NULL); PRAGMA user_version = ${VERSION};`)
    })
  }

  /** Whether the file is still the one at its path. */
  get isCurrent(): boolean {
    try {
      return statSync(this.path).ino === this.#inode
    } catch {
      return false
    }
  }

  /**
   * Returns all rows, each as a list of values. A query must select texts with `textOf`. Bytes become strings; throws
   * if they are not valid UTF-8.
   */
  rows<T extends unknown[]>(sql: string, ...values: unknown[]): T[] {
    const rows = this.#prepared(sql).raw().all(values) as unknown[][]
    for (const row of rows)
      for (const [index, value] of row.entries()) if (value instanceof Uint8Array) row[index] = UTF8.decode(value)
    return rows as T[]
  }

  /** Returns the first value of the first row; undefined if there is none. */
  value(sql: string, ...values: unknown[]): unknown {
    return this.rows<[unknown]>(sql, ...values)[0]?.[0]
  }

  run(sql: string, ...values: unknown[]): void {
    this.#prepared(sql).run(values)
  }

  /** Runs work in a transaction. */
  transact(work: () => void): void {
    this.#sqlite.exec('BEGIN IMMEDIATE')
    try {
      work()
      this.#sqlite.exec('COMMIT')
    } catch (error) {
      this.#sqlite.exec('ROLLBACK')
      throw error
    }
  }

  #prepared(sql: string): Statement {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#sqlite.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  close(): void {
    this.#sqlite.close()
  }
}
