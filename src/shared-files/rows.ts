/** The files of one shelf as rows of the database. A file exists completely or not at all. */
import { newId } from '../kernel/ids.js'
import type { Database, Session } from '../postgres/index.js'
import { checked, type Content, inChunks } from './chunks.js'

/** A stored file. `facts` are additional data of its owner. */
export interface StoredFile extends Content {
  name: string
  /** The ID of its chunks. */
  upload: string
  facts: object | null
}

/** A file to store: its bytes, size and hash. */
export interface NewFile extends Content {
  bytes: AsyncIterable<Uint8Array>
  facts?: object | null
}

/**
 * Minimum age of unused files and uploads before they are removed. A younger file may belong to a document that is
 * being written; an older upload was abandoned.
 */
const YOUNG = "interval '1 hour'"
/** Number of names that are read at a time. */
const AT_ONCE = 500

/** The file was replaced or removed while it was read. */
export class FileGone extends Error {
  override name = 'FileGone'
}

export class FileRows {
  readonly #database: Database
  readonly #shelf: string

  constructor(database: Database, shelf: string) {
    this.#database = database
    this.#shelf = shelf
  }

  /**
   * Stores a file, or renews the time of one with the same bytes. It is committed when the promise resolves. If the
   * bytes do not match the size and hash, throws `WrongBytes` and stores nothing.
   */
  async put(name: string, { bytes, size, hash, facts = null }: NewFile): Promise<void> {
    if (await this.#renew(name, { size, hash }, facts)) return
    const upload = newId()
    try {
      await this.#database.query('INSERT INTO file_uploads (upload) VALUES ($1)', [upload])
      let n = 0
      for await (const chunk of inChunks(checked(bytes, { size, hash }, `the file ${name}`)))
        await this.#database.query(
          'INSERT INTO file_chunks (upload, n, bytes) VALUES ($1, $2, $3)',
          [upload, n++, chunk],
          'put chunk',
        )
      await this.#publish({ name, upload, size, hash, facts })
    } catch (error) {
      // If the database is unreachable, the upload remains until a sweep removes it.
      await this.#giveUp(upload).catch(() => {})
      throw error
    }
  }

  async #renew(name: string, { size, hash }: Content, facts: object | null): Promise<boolean> {
    const text = `UPDATE files SET written = now(), used = now(), facts = $5 WHERE shelf = $1 AND name = $2 AND size = $3 AND hash = $4 RETURNING name`
    const rows = await this.#database.query(
      text,
      [this.#shelf, name, size, hash, facts && JSON.stringify(facts)],
      'renew file',
    )
    return rows.length > 0
  }

  #publish({ name, upload, size, hash, facts }: StoredFile): Promise<void> {
    return this.#database.transact(async (session) => {
      // A concurrent upload with the same name waits here, so that one of the two finds and removes the chunks of the
      // other.
      await session.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`${this.#shelf}/${name}`])
      const mine = await session.query('DELETE FROM file_uploads WHERE upload = $1 RETURNING upload', [upload])
      if (mine.length === 0) throw new FileGone(`The upload of ${name} took longer than an hour and was canceled.`)
      await this.#drop(session, [name])
      const text = 'INSERT INTO files (shelf, name, upload, size, hash, facts) VALUES ($1, $2, $3, $4, $5, $6)'
      await session.query(text, [this.#shelf, name, upload, size, hash, facts && JSON.stringify(facts)])
    }, 'READ COMMITTED')
  }

  #giveUp(upload: string): Promise<void> {
    return this.#database.transact(async (session) => {
      const mine = await session.query('DELETE FROM file_uploads WHERE upload = $1 RETURNING upload', [upload])
      if (mine.length > 0) await session.query('DELETE FROM file_chunks WHERE upload = $1', [upload])
    }, 'READ COMMITTED')
  }

  async find(name: string): Promise<StoredFile | null> {
    const text = 'SELECT name, upload, size, hash, facts FROM files WHERE shelf = $1 AND name = $2'
    const [row] = await this.#database.query<StoredRow>(text, [this.#shelf, name], 'find file')
    return row ? storedOf(row) : null
  }

  /** Records the use of a file, at most once a minute, so that a read rarely causes a write. */
  async touch(name: string): Promise<void> {
    const text = "UPDATE files SET used = now() WHERE shelf = $1 AND name = $2 AND used < now() - interval '1 minute'"
    await this.#database.query(text, [this.#shelf, name], 'touch file')
  }

  /** Yields the bytes of a file. Throws `FileGone`, `WrongBytes` if they are damaged. */
  read(file: StoredFile): AsyncGenerator<Uint8Array> {
    return checked(this.#chunks(file), file, `the file ${file.name} in the database`)
  }

  async *#chunks({ name, upload, size }: StoredFile): AsyncGenerator<Uint8Array> {
    for (let n = 0, had = 0; n === 0 || had < size; n++) {
      const text = 'SELECT bytes FROM file_chunks WHERE upload = $1 AND n = $2'
      const [row] = await this.#database.query<{ bytes: Buffer }>(text, [upload, n], 'read chunk')
      if (!row) throw new FileGone(`${name} was replaced or removed while it was read.`)
      had += row.bytes.length
      yield row.bytes
    }
  }

  /** Yields the stored files by name, some at a time. */
  async *list(prefix = ''): AsyncGenerator<StoredFile> {
    for (let last = prefix; ; ) {
      const text = `SELECT name, upload, size, hash, facts FROM files WHERE shelf = $1 AND name > $2 AND starts_with(name, $3) ORDER BY name LIMIT $4`
      const rows: StoredRow[] = await this.#database.query<StoredRow>(text, [this.#shelf, last, prefix, AT_ONCE])
      for (const row of rows) yield storedOf(row)
      const end = rows.at(-1)
      if (!end || rows.length < AT_ONCE) return
      last = end.name
    }
  }

  async remove(...names: string[]): Promise<void> {
    await this.#database.transact((session) => this.#drop(session, names), 'READ COMMITTED')
  }

  /**
   * Removes files with their chunks. With `old`, removes only files that were written more than an hour ago. Returns
   * their number.
   */
  async #drop(session: Session, names: readonly string[], old = false): Promise<number> {
    const text = `DELETE FROM files WHERE shelf = $1 AND name = ANY($2) ${old ? `AND written < now() - ${YOUNG}` : ''} RETURNING upload`
    const gone = await session.query<{ upload: string }>(text, [this.#shelf, names])
    if (gone.length > 0)
      await session.query('DELETE FROM file_chunks WHERE upload = ANY($1)', [gone.map(({ upload }) => upload)])
    return gone.length
  }

  /**
   * Removes unused files that were written more than an hour ago, and abandoned uploads. Returns the number of files.
   */
  async sweep(isUsed: (name: string) => Promise<boolean>): Promise<number> {
    let removed = 0
    for await (const { name } of this.list())
      if (!(await isUsed(name)))
        removed += await this.#database.transact((session) => this.#drop(session, [name], true), 'READ COMMITTED')
    const text = `WITH old AS (DELETE FROM file_uploads WHERE began < now() - ${YOUNG} RETURNING upload)
      DELETE FROM file_chunks c USING old WHERE c.upload = old.upload`
    await this.#database.query(text)
    return removed
  }

  /** Removes the least recently used files until the others have at most `maxBytes`. `newest` stays. */
  async trim(maxBytes: number, newest: string): Promise<void> {
    const text = `SELECT name FROM (SELECT name, sum(size) OVER (ORDER BY name = $3 DESC, used DESC, name) AS bytes FROM files WHERE shelf = $1) f
      WHERE bytes > $2 AND name <> $3`
    const old = await this.#database.query<{ name: string }>(text, [this.#shelf, maxBytes, newest])
    if (old.length > 0) await this.remove(...old.map(({ name }) => name))
  }
}

/** A row of a file. pg returns a `bigint` as a string. */
interface StoredRow extends Omit<StoredFile, 'size'> {
  size: string
}

const storedOf = (row: StoredRow): StoredFile => ({ ...row, size: Number(row.size) })
