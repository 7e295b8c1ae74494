/** The SQL statements of leases. All times come from the database, so the clocks of nodes do not matter. */
import type { Fence } from '../kernel/lease.js'
import type { Database, Session } from './database.js'
import type { Step } from './migrate.js'

/** The name under which `migrate` counts the steps. */
export const ROOM = 'leases'
/** The channel that notifies waiters of released leases. */
export const CHANNEL = 'bindery_leases'

export const steps: readonly Step[] = [
  {
    version: 1,
    // `next` is a waiting holder. After a release, the lease is reserved for it briefly. Otherwise, a busy node would
    // take the lease again each time.
    sql: `
      CREATE TABLE leases (
        name text COLLATE "C" PRIMARY KEY,
        fence bigint NOT NULL,
        holder text,
        until timestamptz NOT NULL,
        next text
      ) WITH (fillfactor = 50)`,
  },
]

/**
 * Numbers are derived from the clock: they increase even if the row was deleted, lost in a crash of the database (see
 * below), or restored from a backup. They are microseconds since 1970, which a double represents exactly until 2255.
 */
const NUMBER = '(extract(epoch FROM clock_timestamp()) * 1000000)::bigint'
/**
 * These commits do not wait for the disk. A crash of the database may undo the last ones. Then the holder's fencing
 * token differs from the row, and the next holder gets a number greater than both.
 */
const AT_ONCE = `quick AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true) AS set)`
/** A lease that the row assigns to the same holder was taken in a request whose response was lost. */
const FREE =
  '(leases.until < clock_timestamp() OR leases.holder = $2 OR (leases.holder IS NULL AND (leases.next IS NULL OR leases.next = $2)))'
const FOR_MS = `clock_timestamp() + $3 * interval '1 millisecond'`

/** Checks without a lock first, so that waiters do not block transactions that check a fencing token. */
const TAKE = `WITH ${AT_ONCE}
  INSERT INTO leases (name, fence, holder, until) SELECT $1, ${NUMBER}, $2, ${FOR_MS} FROM quick
  WHERE quick.set IS NOT NULL AND NOT EXISTS (SELECT FROM leases WHERE name = $1 AND NOT ${FREE})
  ON CONFLICT (name) DO UPDATE SET fence = greatest(leases.fence + 1, excluded.fence), holder = $2, until = excluded.until, next = NULL WHERE ${FREE}
  RETURNING fence`

/**
 * Takes a lease if it is free or expired, and returns its new number. Null: another holder has it. Call it only while
 * `holder` does not have the lease.
 */
export async function take(database: Database, name: string, holder: string, ms: number): Promise<number | null> {
  const [row] = await database.query<{ fence: string }>(TAKE, [name, holder, ms], 'lease take')
  return row ? Number(row.fence) : null
}

const WANT = `UPDATE leases SET next = $2 WHERE name = $1 AND holder IS NOT NULL AND next IS NULL`

/** Registers a waiter. The release notifies it and briefly reserves the lease for it. */
export async function registerWaiter(database: Database, name: string, holder: string): Promise<void> {
  await database.query(WANT, [name, holder], 'lease want')
}

const RELEASE = `WITH ${AT_ONCE}, mine AS (SELECT name, next FROM leases, quick WHERE name = $1 AND fence = $2 AND quick.set IS NOT NULL FOR UPDATE OF leases),
  released AS (UPDATE leases SET holder = NULL, until = ${FOR_MS} FROM mine WHERE leases.name = mine.name)
  SELECT pg_notify('${CHANNEL}', name) FROM mine WHERE next IS NOT NULL`

/** Releases a lease, if it is still the same holding. For `ms`, only the registered waiter, if any, can take it. */
export async function release(database: Database, { name, fence }: Fence, ms: number): Promise<void> {
  await database.query(RELEASE, [name, fence, ms], 'lease release')
}

/** Skips rows that a transaction has locked with `checkFence`. The next heartbeat extends them. */
const EXTEND = `WITH ${AT_ONCE}, held AS (SELECT leases.name, leases.fence FROM unnest($1::text[], $2::bigint[]) AS mine (name, fence) JOIN leases USING (name, fence)),
  unlocked AS (SELECT leases.name FROM leases JOIN held USING (name, fence), quick WHERE quick.set IS NOT NULL FOR NO KEY UPDATE OF leases SKIP LOCKED),
  extended AS (UPDATE leases SET until = ${FOR_MS} FROM unlocked WHERE leases.name = unlocked.name)
  SELECT fence FROM held`

/** Extends leases by `ms` from now, and returns the numbers of the leases that are still held. */
export async function extend(database: Database, held: readonly Fence[], ms: number): Promise<Set<number>> {
  const values = [held.map(({ name }) => name), held.map(({ fence }) => fence), ms]
  const rows = await database.query<{ fence: string }>(EXTEND, values, 'lease extend')
  return new Set(rows.map(({ fence }) => Number(fence)))
}

const CURRENT = 'SELECT FROM leases WHERE name = $1 AND fence = $2 FOR SHARE'

/** Whether a fencing token is still current. Until the transaction ends, no other holder can take the lease. */
export async function isCurrent(session: Session, { name, fence }: Fence): Promise<boolean> {
  return (await session.query(CURRENT, [name, fence], 'lease check')).length > 0
}

/** Deletes leases that were not held for a day. */
export async function sweep(database: Database): Promise<void> {
  await database.query(`DELETE FROM leases WHERE holder IS NULL AND until < clock_timestamp() - interval '1 day'`)
}

const IS_FREE = 'holder IS NULL OR until < clock_timestamp()'

/** Returns the names whose lease is free or expired. */
export async function findFree(database: Database, names: readonly string[]): Promise<Set<string>> {
  const text = `SELECT name FROM unnest($1::text[]) AS asked (name) LEFT JOIN leases USING (name) WHERE ${IS_FREE}`
  return new Set((await database.query<{ name: string }>(text, [names], 'lease unheld')).map(({ name }) => name))
}

/**
 * Returns the names below a prefix whose lease expired without a release, and those that other holders than `holder`
 * have.
 */
export async function namesBelow(
  database: Database,
  prefix: string,
  holder: string,
): Promise<{ abandoned: string[]; held: string[] }> {
  const text =
    'SELECT name, until < clock_timestamp() AS over FROM leases WHERE starts_with(name, $1) AND holder IS NOT NULL AND holder <> $2'
  const rows = await database.query<{ name: string; over: boolean }>(text, [prefix, holder], 'lease names')
  const those = (over: boolean) => rows.filter((row) => row.over === over).map(({ name }) => name)
  return { abandoned: those(true), held: those(false) }
}

/** Deletes expired leases. */
export async function forget(database: Database, names: readonly string[]): Promise<void> {
  await database.query('DELETE FROM leases WHERE name = ANY($1::text[]) AND until < clock_timestamp()', [names])
}

const rowFence = ({ name, fence }: { name: string; fence: string }): Fence => ({ name, fence: Number(fence) })

/** Returns the holdings of other holders for one lease, or for all below a prefix. */
export async function holdingsOfOthers(
  database: Database,
  which: { name: string } | { prefix: string },
  holder: string,
): Promise<Fence[]> {
  const [condition, value] = 'name' in which ? ['name = $1', which.name] : ['starts_with(name, $1)', which.prefix]
  const text = `SELECT name, fence FROM leases WHERE ${condition} AND holder IS NOT NULL AND holder <> $2`
  return (await database.query<{ name: string; fence: string }>(text, [value, holder])).map(rowFence)
}

const SAME = 'unnest($1::text[], $2::bigint[]) AS asked (name, fence)'
const valuesOf = (holdings: readonly Fence[]) => [holdings.map(({ name }) => name), holdings.map(({ fence }) => fence)]

/** Returns the holdings that have neither ended nor expired. */
export async function stillHeld(database: Database, holdings: readonly Fence[]): Promise<Fence[]> {
  const text = `SELECT name, fence FROM ${SAME} JOIN leases USING (name, fence) WHERE NOT (${IS_FREE})`
  return (await database.query<{ name: string; fence: string }>(text, valuesOf(holdings), 'lease still')).map(rowFence)
}

/**
 * Ends holdings permanently: a transaction that checks one of them from now on is rejected. Survives a crash of the
 * database.
 */
export async function endAll(database: Database, holdings: readonly Fence[]): Promise<void> {
  const text = `UPDATE leases SET fence = greatest(leases.fence + 1, ${NUMBER}), holder = NULL FROM ${SAME} WHERE leases.name = asked.name AND leases.fence = asked.fence`
  await database.query(text, valuesOf(holdings))
}
