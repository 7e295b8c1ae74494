/** The lengths of lists in PostgreSQL: one row per change, which are merged from time to time. */
import type { Session } from '../../postgres/index.js'

/** Number of rows per list above which they are merged. */
const MAX_ROWS = 8
/** Number of lists that are processed at a time. */
const LISTS_AT_ONCE = 1_000

/** The length of the list `$1`, `$2`, `$3`, as `whole.count`. */
export const LENGTH =
  '(SELECT coalesce(sum(change), 0)::int AS count FROM document_list_lengths WHERE of = $1 AND list = $2 AND grp = $3) whole'

/** Deletes and inserts rows in one statement, so that no reader sees another length in between. */
const JOIN = `WITH long AS (
    SELECT of, list, grp FROM document_list_lengths GROUP BY of, list, grp HAVING count(*) > ${MAX_ROWS} LIMIT ${LISTS_AT_ONCE}),
  gone AS (DELETE FROM document_list_lengths d USING long WHERE d.of = long.of AND d.list = long.list AND d.grp = long.grp RETURNING d.*),
  kept AS (INSERT INTO document_list_lengths SELECT of, list, grp, sum(change) FROM gone GROUP BY of, list, grp HAVING sum(change) <> 0)
  SELECT count(*)::int AS lists FROM long`

/** Merges the rows of lists that have many. */
export async function joinLengths(session: Session): Promise<void> {
  for (;;) {
    const [row] = await session.query<{ lists: number }>(JOIN)
    if ((row?.lists ?? 0) < LISTS_AT_ONCE) return
  }
}
