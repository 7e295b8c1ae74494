/**
 * Ends what a node that was stopped in the middle of transactions holds. The database ends such a session by itself, but later, and one after the other: of several
 * sessions of that node that wait for one lock, each would get it in its turn and keep it as long.
 */

const PREFIX = 'bindery node '
/** A node has statements more often than that, if only to show that it lives. In milliseconds. */
const SILENT_MS = 1_500
/** And none of its transactions waits so long for the next statement: one that has just got a lock for which it waited would be gone on with. In milliseconds. */
const IDLE_MS = 500

/** What the connections of a node are called in the database's list of them. The nodes of a database have different names. */
export const applicationOf = (node: string): string => PREFIX + node
/** Whether that is what a connection of a running server is called: `bindery` in releases before. */
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
 * Ends all transactions of other nodes that have sent nothing for a second and a half although a transaction of theirs waits for them. A node that goes on after all is told that
 * they have ended, as after an interruption of the network. Throws what the statement does.
 * @param query runs a statement
 */
export async function endSilentNodes(query: (text: string) => Promise<unknown>): Promise<void> {
  await query(END)
}
