/** Records whether an installation was migrated into the database, and whether the migration is complete. */
import { required } from '../kernel/defined.js'
import type { Database } from '../postgres/index.js'

/** A migration into a database or a folder. */
export interface Mark {
  /** The identity of the migrated installation: the fingerprint of its signing key. */
  source: string
  /** Until it is `done`, no server starts on the target. */
  state: 'running' | 'done'
}

/** Returns the migration into the database; null if there was none. */
export async function markOf(database: Database): Promise<Mark | null> {
  const [row] = await database.query<Mark>('SELECT source, state FROM migration_mark')
  return row ?? null
}

/** Records that a migration starts, unless one was recorded before. Returns the recorded one. */
export async function beginMigration(database: Database, source: string): Promise<Mark> {
  await database.query('INSERT INTO migration_mark (source) VALUES ($1) ON CONFLICT DO NOTHING', [source])
  return required(await markOf(database))
}

/** Records that the migration is complete. */
export async function endMigration(database: Database): Promise<void> {
  await database.query("UPDATE migration_mark SET state = 'done', ended = now()")
}
