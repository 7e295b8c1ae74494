/** The memory: answers that engines gave, in an SQLite file, bounded by dropping those that were not used for the longest time. */
import { closeSync, openSync } from 'node:fs'
import { createHash } from 'node:crypto'
import type libsql from 'libsql'
import { optionalLibrary } from '../kernel/optional-library.js'

type Library = typeof libsql

const Sqlite = optionalLibrary<Library>('libsql')

/** Rows that are read or written in one call: about a millisecond. */
const AT_ONCE = 200
/** Longest answer that is kept, in characters. */
const MAX_VALUE = 64 * 1024
/** How many of the oldest rows are dropped at once when there are too many bytes. */
const DROPPED = 1_000

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, value TEXT NOT NULL, used INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS answers_by_use ON answers (used);
`

/** The answers to texts that were asked under one context (engine, languages, guidance). */
export interface Memory {
  get(context: string, texts: readonly string[]): Map<string, string>
  put(context: string, answers: ReadonlyMap<string, string>): void
  /** Forgets answers that could not be used. */
  forget(context: string, texts: readonly string[]): void
  close(): void
}

/** Says what is wrong with the memory, for the log. */
type Notice = (message: string) => void

const keyOf = (context: string, text: string): string => createHash('sha256').update(`${context}\0${text}`).digest('base64url')

/** Opens the memory, or makes it, when it is first used. Without it, translations are paid for again, but nothing else is missing. */
export function openMemory({ file, maxBytes, notice }: { file: string; maxBytes: number; notice: Notice }): Memory {
  let open: AnswerFile | null = null
  let broken = false
  const attempt = <T>(work: (answers: AnswerFile) => T, instead: T): T => {
    if (broken) return instead
    try {
      if (Sqlite === null) throw new Error('its library does not load on this machine')
      open ??= new AnswerFile(Sqlite, file, maxBytes)
      return work(open)
    } catch (error) {
      broken = true
      notice(
        `The memory of translations ${file} is not used (${(error as Error).message}): what it has is asked of engines again. If it is damaged, delete it and start again.`,
      )
      return instead
    }
  }
  return {
    get: (context, texts) => attempt((answers) => answers.get(context, texts), new Map()),
    put: (context, made) => attempt((answers) => answers.put(context, made), undefined),
    forget: (context, texts) => attempt((answers) => answers.forget(context, texts), undefined),
    close() {
      broken = true
      open?.close()
      open = null
    },
  }
}

class AnswerFile {
  readonly #sqlite: InstanceType<Library>

  constructor(
    library: Library,
    file: string,
    private readonly maxBytes: number,
  ) {
    // For the owner alone: it holds texts of private spaces.
    closeSync(openSync(file, 'a', 0o600))
    this.#sqlite = new library(file)
    // A power cut may take away the last answers, which are then asked for again; a killed process loses none.
    for (const pragma of ['journal_mode = WAL', 'synchronous = NORMAL', 'journal_size_limit = 16777216']) this.#sqlite.pragma(pragma)
    this.#sqlite.exec(SCHEMA)
  }

  get(context: string, texts: readonly string[]): Map<string, string> {
    const found = new Map<string, string>()
    const select = this.#sqlite.prepare('SELECT json_group_array(json_array(key, value)) AS rows FROM answers WHERE key IN (SELECT value FROM json_each(?))')
    const touch = this.#sqlite.prepare('UPDATE answers SET used = ? WHERE key IN (SELECT value FROM json_each(?))')
    for (let from = 0; from < texts.length; from += AT_ONCE) {
      const asked = new Map(texts.slice(from, from + AT_ONCE).map((text) => [keyOf(context, text), text]))
      const { rows } = select.get([JSON.stringify([...asked.keys()])]) as { rows: string }
      const known = JSON.parse(rows) as [string, string][]
      for (const [key, value] of known) found.set(asked.get(key) as string, value)
      if (known.length > 0) touch.run([Date.now(), JSON.stringify(known.map(([key]) => key))])
    }
    return found
  }

  put(context: string, answers: ReadonlyMap<string, string>): void {
    const insert = this.#sqlite.prepare("INSERT OR REPLACE INTO answers SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), ? FROM json_each(?)")
    const rows = [...answers].filter(([, value]) => value.length <= MAX_VALUE).map(([text, value]) => [keyOf(context, text), value])
    for (let from = 0; from < rows.length; from += AT_ONCE) insert.run([Date.now(), JSON.stringify(rows.slice(from, from + AT_ONCE))])
    const drop = this.#sqlite.prepare('DELETE FROM answers WHERE key IN (SELECT key FROM answers ORDER BY used LIMIT ?)')
    while (this.#used() > this.maxBytes && drop.run([DROPPED]).changes > 0);
  }

  forget(context: string, texts: readonly string[]): void {
    this.#sqlite.prepare('DELETE FROM answers WHERE key IN (SELECT value FROM json_each(?))').run([JSON.stringify(texts.map((text) => keyOf(context, text)))])
  }

  #used(): number {
    const number = (name: string): number => Number(Object.values(this.#sqlite.prepare(`PRAGMA ${name}`).get() as object)[0])
    return (number('page_count') - number('freelist_count')) * number('page_size')
  }

  close(): void {
    this.#sqlite.close()
  }
}
