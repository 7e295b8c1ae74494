/**
 * Accesses the files that a service stores by hash directly: in its data folder, or in its database and that folder's
 * copies.
 */
import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { databaseSettings } from './service-database.js'

export class StoredFiles {
  /**
   * @param dir the folder of the service
   * @param shelf the name of its folder below `data/` and of its shelf in the database
   */
  constructor(
    readonly dir: string,
    readonly shelf: 'bundles' | 'lfs' | 'openapi' | 'pdf',
  ) {}

  async exists(hash: string): Promise<boolean> {
    const rows = await this.#query('SELECT 1 FROM files WHERE shelf = $1 AND name = $2', hash)
    return rows === null ? existsSync(this.#path(hash)) : rows.length > 0
  }

  /** The number of files in the database, or null without one. */
  async count(): Promise<number | null> {
    return (await this.#query('SELECT 1 FROM files WHERE shelf = $1'))?.length ?? null
  }

  async remove(hash: string): Promise<void> {
    await this.#query(
      'WITH gone AS (DELETE FROM files WHERE shelf = $1 AND name = $2 RETURNING upload) DELETE FROM file_chunks c USING gone WHERE c.upload = gone.upload',
      hash,
    )
    rmSync(this.#path(hash), { force: true })
  }

  /** Changes one bit. */
  async damage(hash: string): Promise<void> {
    const text = `UPDATE file_chunks c SET bytes = set_byte(bytes, 10, get_byte(bytes, 10) # 1) FROM files f
      WHERE f.shelf = $1 AND f.name = $2 AND c.upload = f.upload AND n = 0`
    if ((await this.#query(text, hash)) !== null) return rmSync(this.#path(hash), { force: true })
    const bytes = readFileSync(this.#path(hash))
    bytes[10]! ^= 1
    writeFileSync(this.#path(hash), bytes)
  }

  async read(hash: string): Promise<Buffer> {
    const rows = await this.#query(
      'SELECT c.bytes FROM files f JOIN file_chunks c ON c.upload = f.upload WHERE shelf = $1 AND name = $2 ORDER BY n',
      hash,
    )
    return rows === null ? readFileSync(this.#path(hash)) : Buffer.concat(rows.map(({ bytes }) => bytes as Buffer))
  }

  /** Sets its modification time. */
  async writtenAt(hash: string, time: Date): Promise<void> {
    if ((await this.#query('UPDATE files SET written = $3 WHERE shelf = $1 AND name = $2', hash, time)) === null)
      utimesSync(this.#path(hash), time, time)
  }

  #path(hash: string): string {
    return join(this.dir, 'data', this.shelf, hash.slice(0, 2), hash)
  }

  /** Null if there is no database. */
  async #query(text: string, ...values: unknown[]): Promise<Record<string, unknown>[] | null> {
    const { BINDERY_DATABASE_URL: connectionString } = await databaseSettings(this.dir)
    if (connectionString === undefined) return null
    const client = new Client({ connectionString })
    await client.connect()
    try {
      return (await client.query(text, [this.shelf, ...values])).rows
    } finally {
      await client.end()
    }
  }
}
