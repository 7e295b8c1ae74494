/**
 * Request counts by key that nodes share, in windows of one minute. They restart at zero after a crash of the database.
 */
import type { Database } from './database.js'
import { migrate } from './migrate.js'

/** The count of a key over all nodes in its current window. */
export interface WindowCount {
  count: number
  /** Time until the window ends, in milliseconds. */
  leftMs: number
}

export interface Counts {
  /**
   * Adds to the counts of keys, and returns the totals. Throws `DatabaseAway`; then none or only some of them were
   * added.
   */
  add(counts: ReadonlyMap<string, number>): Promise<Map<string, WindowCount>>
  /** Deletes expired windows. */
  sweep(): Promise<void>
}

/** Maximum number of keys in one statement. */
const AT_ONCE = 1_000
const STEPS = [
  {
    version: 1,
    sql: `CREATE UNLOGGED TABLE rate_counts (key text COLLATE "C" PRIMARY KEY, count integer NOT NULL, ends timestamptz NOT NULL) WITH (fillfactor = 50)`,
  },
]
/** Sorted by key, so that two nodes never deadlock. */
const ADD = `INSERT INTO rate_counts (key, count, ends) SELECT key, count, clock_timestamp() + interval '1 minute'
  FROM unnest($1::text[], $2::integer[]) AS added (key, count) ORDER BY key
  ON CONFLICT (key) DO UPDATE SET
    count = CASE WHEN rate_counts.ends <= clock_timestamp() THEN 0 ELSE rate_counts.count END + excluded.count,
    ends = CASE WHEN rate_counts.ends <= clock_timestamp() THEN excluded.ends ELSE rate_counts.ends END
  RETURNING key, count, ceil(extract(epoch FROM ends - clock_timestamp()) * 1000)::integer AS left`

/** Creates the table if it is missing. Throws `DatabaseAway`. */
export async function openCounts(database: Database): Promise<Counts> {
  await migrate(database, 'counts', STEPS)
  return {
    async add(counts) {
      const all = [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
      const found = new Map<string, WindowCount>()
      for (let at = 0; at < all.length; at += AT_ONCE) {
        const some = all.slice(at, at + AT_ONCE)
        const values = [some.map(([key]) => key), some.map(([, count]) => count)]
        const rows = await database.query<{ key: string; count: number; left: number }>(ADD, values, 'counts add')
        for (const { key, count, left } of rows) found.set(key, { count, leftMs: left })
      }
      return found
    },
    sweep: async () => void (await database.query('DELETE FROM rate_counts WHERE ends < clock_timestamp()')),
  }
}
