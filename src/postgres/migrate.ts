/** Brings the tables of one room to the form that this release knows, once, whichever node starts first. */
import type { Database } from './database.js'

/** One step; never changed after a release. */
export interface Step {
  /** 1, 2, 3 … without gaps, counted by each room for itself. */
  version: number
  /** SQL statements, separated by semicolons. They must leave what the release before can still work with. */
  sql: string
}

/** Taken by whoever migrates, so that nodes that start together do it one after another. */
const LOCK = 0x62_69_6e_64

/**
 * Runs the steps that have not been run, each in one transaction with the record of it, and returns the version that the tables have now.
 * That of a newer release may be higher: the tables of one step ahead are readable by this one.
 * @param room whose tables: `documents`, `repositories` …
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
