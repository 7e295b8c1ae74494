/**
 * The translation memory: engine responses in an SQLite file. If it is too large, the least recently used responses are
 * deleted.
 */
import { asError } from '../kernel/thrown.js'
import { createHash } from 'node:crypto'
import { closeSync, openSync, rmSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import type libsql from 'libsql'
import { isRefusedWrite } from '../disk/folder-watch.js'
import { optionalLibrary } from '../kernel/optional-library.js'

type Library = typeof libsql

const Sqlite = optionalLibrary<Library>('libsql')

/** Number of rows that are read or written in one call: about a millisecond. */
const AT_ONCE = 200
/** Maximum length of a response that is stored, in characters. */
const MAX_VALUE = 64 * 1024
/** Number of the oldest rows that are deleted at once if the file is too large. */
const DROPPED = 1_000

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, value TEXT NOT NULL, sum INTEGER NOT NULL, used INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS answers_by_use ON answers (used);
`
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
/** Number of damages after which the memory is not used until the next start. */
const MAX_DAMAGES = 3

/** Responses to texts by context (engine, languages, guidance). */
export interface Memory {
  get(context: string, texts: readonly string[]): Map<string, string>
  put(context: string, answers: ReadonlyMap<string, string>): void
  /** Deletes responses that could not be used. */
  forget(context: string, texts: readonly string[]): void
  close(): void
}

/** Reports a problem with the memory, for the log. */
type Notice = (message: string) => void

/** Returns the checksum of a response. SQLite has none, and a bit flip would end up in a translation. */
const sumOf = (key: string, value: string): number => crc32(`${key} ${value}`)

const keyOf = (context: string, text: string): string =>
  createHash('sha256').update(`${context}\0${text}`).digest('base64url')

/**
 * Opens or creates the memory on first use. If it is missing, translations are paid for again, but nothing else is
 * lost.
 */
export function openMemory({ file, maxBytes, notice }: { file: string; maxBytes: number; notice: Notice }): Memory {
  let open: AnswerFile | null = null
  let damages = 0
  /** Whether the operating system refused to write the file. This is reported once. */
  let isRefused = false
  const giveUp = (reason: string): void => {
    damages = MAX_DAMAGES
    notice(`The translation memory ${file} is not used (${reason}). Its texts are translated again.`)
  }
  const dropDamaged = (error: Error): void => {
    notice(
      `The translation memory ${file} is damaged (${error.message}). It is rebuilt, and its texts are translated again.`,
    )
    damages++
    try {
      open?.close()
    } catch {
      // The file is deleted in any case.
    }
    open = null
    try {
      for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
    } catch (failure) {
      giveUp(asError(failure).message)
    }
  }
  const noteRefusal = ({ message }: Error): void => {
    if (isRefused) return
    isRefused = true
    notice(
      `The translation memory ${file} cannot be written to (${message}). Grant write permission or free disk space. Until then, texts are translated again.`,
    )
  }
  const attempt = <T>(work: (answers: AnswerFile) => T, fallback: T): T => {
    if (damages >= MAX_DAMAGES) return fallback
    try {
      if (Sqlite === null) {
        giveUp('its library does not load on this machine')
        return fallback
      }
      open ??= new AnswerFile(Sqlite, file, maxBytes, notice)
      return work(open)
    } catch (error) {
      // A full disk or a missing permission is not damage. The translations in the file have been paid for.
      if (isRefusedWrite(error)) noteRefusal(asError(error))
      else dropDamaged(asError(error))
      return fallback
    }
  }
  return {
    get: (context, texts) => attempt((answers) => answers.get(context, texts), new Map()),
    put: (context, made) => attempt((answers) => answers.put(context, made), undefined),
    forget: (context, texts) => attempt((answers) => answers.forget(context, texts), undefined),
    close() {
      damages = MAX_DAMAGES
      open?.close()
      open = null
    },
  }
}

type StoredAnswer = [key: Buffer, value: Buffer, sum: number]

/** Decodes a response. Returns null if it is not valid UTF-8. */
function decoded(bytes: Buffer): string | null {
  try {
    return UTF8.decode(bytes)
  } catch {
    return null
  }
}

class AnswerFile {
  readonly #sqlite: InstanceType<Library>

  constructor(
    library: Library,
    private readonly file: string,
    private readonly maxBytes: number,
    private readonly notice: Notice,
  ) {
    // Only the owner may access the file, because it contains texts from private spaces.
    closeSync(openSync(file, 'a', 0o600))
    this.#sqlite = new library(file)
    // A power cut may lose the last responses, which are then requested again. A killed process loses none.
    for (const pragma of ['journal_mode = WAL', 'synchronous = NORMAL', 'journal_size_limit = 16777216'])
      this.#sqlite.pragma(pragma)
    this.#sqlite.exec(SCHEMA)
  }

  get(context: string, texts: readonly string[]): Map<string, string> {
    const found = new Map<string, string>()
    // Select bytes: the library ends the whole process if a text is not valid UTF-8.
    const select = this.#sqlite.prepare(
      'SELECT CAST(key AS BLOB), CAST(value AS BLOB), sum FROM answers WHERE key IN (SELECT value FROM json_each(?))',
    )
    const touch = this.#sqlite.prepare('UPDATE answers SET used = ? WHERE key IN (SELECT value FROM json_each(?))')
    for (let from = 0; from < texts.length; from += AT_ONCE) {
      const asked = new Map(texts.slice(from, from + AT_ONCE).map((text) => [keyOf(context, text), text]))
      const damaged: string[] = []
      for (const [keyBytes, bytes, sum] of select.raw().all([JSON.stringify([...asked.keys()])]) as StoredAnswer[]) {
        const key = keyBytes.toString()
        const value = decoded(bytes)
        const text = asked.get(key)
        if (text === undefined || value === null || sum !== sumOf(key, value)) {
          if (text !== undefined) damaged.push(text)
          continue
        }
        found.set(text, value)
      }
      if (damaged.length > 0) {
        this.notice(
          `The translation memory ${this.file} has ${damaged.length} damaged responses. Their texts are translated again.`,
        )
        this.forget(context, damaged)
      }
      const known = [...asked].filter(([, text]) => found.has(text)).map(([key]) => key)
      if (known.length > 0) touch.run([Date.now(), JSON.stringify(known)])
    }
    return found
  }

  put(context: string, answers: ReadonlyMap<string, string>): void {
    const insert = this.#sqlite.prepare(
      "INSERT OR REPLACE INTO answers (key, value, sum, used) SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'), ? FROM json_each(?)",
    )
    const rows = [...answers]
      .filter(([, value]) => value.length <= MAX_VALUE)
      .map(([text, value]) => {
        const key = keyOf(context, text)
        return [key, value, sumOf(key, value)]
      })
    for (let from = 0; from < rows.length; from += AT_ONCE)
      insert.run([Date.now(), JSON.stringify(rows.slice(from, from + AT_ONCE))])
    const drop = this.#sqlite.prepare(
      'DELETE FROM answers WHERE key IN (SELECT key FROM answers ORDER BY used LIMIT ?)',
    )
    while (this.#used() > this.maxBytes && drop.run([DROPPED]).changes > 0);
  }

  forget(context: string, texts: readonly string[]): void {
    this.#sqlite
      .prepare('DELETE FROM answers WHERE key IN (SELECT value FROM json_each(?))')
      .run([JSON.stringify(texts.map((text) => keyOf(context, text)))])
  }

  #used(): number {
    const pragma = (name: string): number => this.#number(`PRAGMA ${name}`)
    return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size')
  }

  #number(sql: string): number {
    return Number(Object.values(this.#sqlite.prepare(sql).get() as object)[0])
  }

  close(): void {
    this.#sqlite.close()
  }
}
