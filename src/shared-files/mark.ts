/** Whether an installation was moved into the database, and whether all of it has arrived. */
import type { Database } from '../postgres/index.js'

/** A migration into a database or a folder. */
export interface Mark {
  /** Names the installation that is moved: the fingerprint of its signing key. */
  source: string
  /** Until it is `done`, no server starts on the target. */
  state: 'running' | 'done'
}

/** The migration into the database; null if there was none. */
export async function markOf(database: Database): Promise<Mark | null> {
  const [row] = await database.query<Mark>('SELECT source, state FROM migration_mark')
  return row ?? null
}

/** Notes that a migration begins, if none did before, and returns the one that counts. */
export async function beginMigration(database: Database, source: string): Promise<Mark> {
  await database.query('INSERT INTO migration_mark (source) VALUES ($1) ON CONFLICT DO NOTHING', [source])
  return (await markOf(database)) as Mark
}

/** Notes that all has arrived. */
export async function endMigration(database: Database): Promise<void> {
  await database.query("UPDATE migration_mark SET state = 'done', ended = now()")
}
