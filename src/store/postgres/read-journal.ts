/** Reads the records of a journal in PostgreSQL, in steps. */
import type { JournalQuery, JournalPage, Recorded } from '../../kernel/documents.js'
import type { Session } from '../../postgres/database.js'
import { deepFreeze } from '../json.js'
import type { Journal } from '../types.js'
import { keyText } from './encoding.js'

/** Number of records that are read at a time. */
const AT_ONCE = 500

const recordsText = (ascending: boolean): string => `SELECT r.position, r.body FROM journal_records r
    JOIN journal_groups g ON g.journal = r.journal AND g.grp = r.grp
    WHERE r.journal = $1 AND r.grp = $2 AND r.position >= g.first AND r.position ${ascending ? '>' : '<'} $3::bigint
    AND r.at >= $4 AND ($5::text IS NULL OR r.at <= $5) ORDER BY r.position ${ascending ? 'ASC' : 'DESC'} LIMIT $6`

const ASCENDING = recordsText(true)

const DESCENDING = recordsText(false)

/** Reads a few hundred records at a time, until the query is complete or has examined its maximum number of records. */
export async function readRecords<T extends object>(
  session: Session,
  of: Journal<T>,
  group: string,
  query: JournalQuery<T>,
): Promise<JournalPage<T>> {
  const { direction, limit, most = Number.POSITIVE_INFINITY, from = '', to, matches } = query
  const ascending = direction === 'asc'
  const records: Recorded<T>[] = []
  let at = query.after ?? null
  let looked = 0
  const isFull = () => records.length >= limit || looked >= most
  for (;;) {
    // Read one more record than needed, to find out whether there are more.
    const wanted = Math.min(AT_ONCE, most - looked, matches ? AT_ONCE : limit - records.length) + 1
    const after = at ?? (ascending ? 0 : Number.MAX_SAFE_INTEGER)
    const values = [of.name, keyText(group), after, from, to ?? null, wanted]
    const rows = await session.query<{ position: string; body: T }>(
      ascending ? ASCENDING : DESCENDING,
      values,
      `records ${direction}`,
    )
    for (const row of rows) {
      if (isFull()) return { records, next: at, looked }
      const record = deepFreeze(row.body)
      at = Number(row.position)
      looked++
      if (matches?.(record) ?? true) records.push({ position: at, record })
    }
    if (rows.length < wanted) return { records, next: null, looked }
  }
}
