/**
 * Opens the store on PostgreSQL: creates or migrates its tables, runs migrations, and creates index rows that another
 * release did not create.
 */
import { type Database, migrate, type News, openDatabase } from '../../postgres/index.js'
import type { SharedStore, StoreOptions } from '../types.js'
import { migrateDocuments } from './migrations.js'
import { reshape } from './reshape.js'
import { ROOM, steps } from './schema.js'
import { CONNECTIONS, PostgresStore } from './store.js'

export interface PostgresStoreOptions extends Pick<StoreOptions, 'tables' | 'migrations' | 'log'> {
  /** The database, or the URL of one that the store opens and closes. */
  database: Database | { url: string }
  /** Changes by other processes. Default: unknown, so no response is cached. */
  news?: News
}

/**
 * Opens the store in a database, or creates it there. Other processes may have it open as well. Throws `DatabaseAway`,
 * `StoreTooNew` if a newer release wrote it, `DuplicateKey` if stored documents violate a unique index of `tables`.
 */
export async function openPostgresStore({
  database: given,
  tables = [],
  migrations = [],
  news,
  log: tell = () => undefined,
}: PostgresStoreOptions): Promise<SharedStore> {
  const started = performance.now()
  const database = 'url' in given ? openDatabase({ url: given.url, connections: CONNECTIONS }) : given
  const own = 'url' in given ? database : null
  try {
    await migrate(database, ROOM, steps)
    await migrateDocuments(database, { tables, migrations, tell })
    await reshape(database, tables)
    const [row] = await database.query<{ count: number }>('SELECT count(*)::int AS count FROM documents')
    tell({
      event: 'opened',
      documents: row?.count ?? 0,
      checkpoints: 0,
      replayed: 0,
      milliseconds: performance.now() - started,
    })
    return new PostgresStore(database, news ?? null, async () => own?.close())
  } catch (error) {
    await own?.close()
    throw error
  }
}
