/** Opens the store on PostgreSQL: makes or changes its tables, runs migrations, and makes rows that another release did not make. */
import { type Database, migrate, type News, openDatabase } from '../../postgres/index.js'
import type { SharedStore, StoreOptions } from '../types.js'
import { migrateDocuments } from './migrations.js'
import { reshape } from './reshape.js'
import { ROOM, steps } from './schema.js'
import { CONNECTIONS, PostgresStore } from './store.js'

export interface PostgresStoreOptions extends Pick<StoreOptions, 'tables' | 'migrations' | 'log'> {
  /** The database, or the URL of one that the store opens, and closes, by itself. */
  database: Database | { url: string }
  /** What other processes write. Default: not known, so no response is kept. */
  news?: News
}

/**
 * Opens the store in a database, or creates it there; other processes may have it open, too. Throws `DatabaseAway`, `StoreTooNew` if a newer release wrote it,
 * `DuplicateKey` if stored documents violate a unique index of `tables`.
 */
export async function openPostgresStore({
  database: given,
  tables = [],
  migrations = [],
  news,
  log: tell = () => undefined,
}: PostgresStoreOptions): Promise<SharedStore> {
  const started = performance.now()
  const own = 'url' in given ? openDatabase({ url: given.url, connections: CONNECTIONS }) : null
  const database = own ?? (given as Database)
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
