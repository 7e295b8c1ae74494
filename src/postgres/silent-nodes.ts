/**
 * Ends the transactions of a node that was suspended in the middle of them. The database ends such sessions later, one
 * after the other: if several sessions of the node wait for one lock, each of them gets it in turn and keeps it as
 * long.
 */

const PREFIX = 'bindery node '
/**
 * Minimum time without statements after which a node counts as silent, in milliseconds. A live node sends heartbeats
 * more often.
 */
const SILENT_MS = 1_500
/**
 * Minimum idle time of a transaction of a silent node, in milliseconds. A live transaction that has just got a lock
 * would continue sooner.
 */
const IDLE_MS = 500

/** Returns the application name of a node's connections. The nodes of a database have different names. */
export const applicationOf = (node: string): string => PREFIX + node
/** A SQL condition for connections of running servers. Earlier releases use the name `bindery`. */
export const IS_SERVER = `(application_name = 'bindery' OR starts_with(application_name, '${PREFIX}'))`

const END = `WITH sessions AS (
    SELECT pid, application_name AS node, state, xact_start, state_change, query_start FROM pg_stat_activity
    WHERE datname = current_database() AND usename = current_user AND starts_with(application_name, '${PREFIX}') AND application_name <> current_setting('application_name')),
  silent AS (
    SELECT node FROM sessions GROUP BY node
    HAVING max(query_start) < clock_timestamp() - ${SILENT_MS} * interval '1 millisecond'
      AND bool_or(starts_with(state, 'idle in transaction') AND state_change < clock_timestamp() - ${IDLE_MS} * interval '1 millisecond'))
  SELECT pg_terminate_backend(pid) FROM sessions JOIN silent USING (node) WHERE xact_start IS NOT NULL`

/**
 * Ends all transactions of other nodes that have sent nothing for a second and a half although one of their
 * transactions waits for them. If such a node continues, it learns that its transactions have ended, as after a network
 * failure. Throws what the statement throws.
 * @param query runs a statement
 */
export async function endSilentNodes(query: (text: string) => Promise<unknown>): Promise<void> {
  await query(END)
}
