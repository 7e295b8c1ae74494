/** Opens the store on PostgreSQL: makes or changes its tables, runs migrations, and makes rows that another release did not make. */
import { migrate, openDatabase } from '../../postgres/index.js'
import type { Store, StoreOptions } from '../types.js'
import { ROOM, steps } from './schema.js'
import { CONNECTIONS, PostgresStore } from './store.js'

export interface PostgresStoreOptions extends Pick<StoreOptions, 'tables' | 'migrations' | 'log'> {
  /** `postgresql://user:password@host/database`; a secret, which is never part of an error or a log line. */
  url: string
}

/** Opens the store in a database, or creates it there. Throws `DatabaseAway`, `StoreTooNew` if a newer release wrote it. */
export async function openPostgresStore({ url }: PostgresStoreOptions): Promise<Store> {
  const database = openDatabase({ url, connections: CONNECTIONS })
  try {
    await migrate(database, ROOM, steps)
    return new PostgresStore(database, async () => {})
  } catch (error) {
    await database.close()
    throw error
  }
}
