/** Migrates the tables of one module to the schema of this release, once, no matter which node starts first. */
import type { Database } from './database.js'

/** One migration step. It never changes after a release. */
export interface Step {
  /** The number of the step: 1, 2, 3 … without gaps, per module. */
  version: number
  /** SQL statements, separated by semicolons. The previous release must still work with the resulting tables. */
  sql: string
}

/** The lock that each node takes before it migrates, so that nodes that start together migrate one after another. */
const LOCK = 0x62_69_6e_64

/**
 * Runs the steps that have not been run, each with its record in one transaction, and returns the version of the
 * tables. After a newer release, the version may be higher: this release can read tables that are one step ahead.
 * @param room the module of the tables: `documents`, `repositories` …
 */
export async function migrate(database: Database, room: string, steps: readonly Step[]): Promise<number> {
  return database.transact(async (session) => {
    await session.query('SELECT pg_advisory_xact_lock($1)', [LOCK])
    await session.query('CREATE TABLE IF NOT EXISTS bindery_versions (room text PRIMARY KEY, version integer NOT NULL)')
    const [row] = await session.query<{ version: number }>('SELECT version FROM bindery_versions WHERE room = $1', [
      room,
    ])
    const had = row?.version ?? 0
    for (const { version, sql } of steps) {
      if (version <= had) continue
      await session.query(sql)
      await session.query(
        'INSERT INTO bindery_versions VALUES ($1, $2) ON CONFLICT (room) DO UPDATE SET version = $2',
        [room, version],
      )
    }
    return Math.max(had, steps.at(-1)?.version ?? 0)
  }, 'READ COMMITTED')
}
