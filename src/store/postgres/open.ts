/** Opens the store on PostgreSQL: makes or changes its tables, runs migrations, and makes rows that another release did not make. */
import { migrate, openDatabase } from '../../postgres/index.js'
import type { SharedStore, StoreOptions } from '../types.js'
import { migrateDocuments } from './migrations.js'
import { reshape } from './reshape.js'
import { ROOM, steps } from './schema.js'
import { CONNECTIONS, PostgresStore } from './store.js'

export interface PostgresStoreOptions extends Pick<StoreOptions, 'tables' | 'migrations' | 'log'> {
  /** `postgresql://user:password@host/database`; a secret, which is never part of an error or a log line. */
  url: string
  /** Whether other processes may have the documents open, too. Default: no. */
  shared?: boolean
}

/**
 * Opens the store in a database, or creates it there. Throws `DatabaseAway`, `DatabaseHeld` if another process has it open for itself, `StoreTooNew` if a
 * newer release wrote it, `DuplicateKey` if stored documents violate a unique index of `tables`.
 */
export async function openPostgresStore({
  url,
  shared = false,
  tables = [],
  migrations = [],
  log: tell = () => undefined,
}: PostgresStoreOptions): Promise<SharedStore> {
  const started = performance.now()
  const database = openDatabase({ url, connections: CONNECTIONS })
  const held = shared
    ? null
    : await database.hold().catch(async (error: unknown) => {
        await database.close()
        throw error
      })
  try {
    await migrate(database, ROOM, steps)
    await migrateDocuments(database, { tables, migrations, tell })
    await reshape(database, tables)
    const [row] = await database.query<{ count: number }>('SELECT count(*)::int AS count FROM documents')
    tell({ event: 'opened', documents: row?.count ?? 0, checkpoints: 0, replayed: 0, milliseconds: performance.now() - started })
    return new PostgresStore(database, held)
  } catch (error) {
    await held?.close()
    await database.close()
    throw error
  }
}
