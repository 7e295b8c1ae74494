/**
 * Writes journals in PostgreSQL: one row per record, and one per group with the numbers of its first and next record.
 */
import type { Journal } from '../../kernel/documents.js'
import type { Session } from '../../postgres/index.js'
import { frozenJson } from '../json.js'
import { keyText } from './encoding.js'

/** Number of records that are deleted at a time. */
const DELETED_AT_ONCE = 5_000

/** A row with numbers. pg returns a `bigint` as a string. */
interface Numbers {
  first: string
  next: string
}

async function numbersOf(
  session: Session,
  journal: string,
  group: string,
): Promise<{ first: number; next: number } | null> {
  const text = 'SELECT first, next FROM journal_groups WHERE journal = $1 AND grp = $2'
  const [row] = await session.query<Numbers>(text, [journal, keyText(group)], 'journal group')
  return row ? { first: Number(row.first), next: Number(row.next) } : null
}

/**
 * Adds a record at the end of its group. Positions have no gaps, since two transactions that add to the same group
 * cannot both commit.
 */
export async function appendRecord<T extends object>(
  session: Session,
  to: Journal<T>,
  group: string,
  make: (position: number) => T,
  least: number,
): Promise<T> {
  const position = Math.max((await numbersOf(session, to.name, group))?.next ?? 1, least)
  const record = frozenJson(make(position))
  if (to.group(record) !== group)
    throw new TypeError(
      `a record of ${to.name} belongs to the group ${JSON.stringify(to.group(record))}, not ${JSON.stringify(group)}`,
    )
  const text = `WITH numbered AS (
      INSERT INTO journal_groups (journal, grp, name, first, next) VALUES ($1, $2, $3, $4::bigint, $4::bigint + 1)
      ON CONFLICT (journal, grp) DO UPDATE SET next = excluded.next)
    INSERT INTO journal_records (journal, grp, position, at, body) VALUES ($1, $2, $4::bigint, $5, $6)`
  await session.query(
    text,
    [to.name, keyText(group), JSON.stringify(group), position, to.at(record), JSON.stringify(record)],
    'append record',
  )
  return record
}

/** Returns the number of records in a group, and the position of the next one. */
export async function extentOf(
  session: Session,
  journal: string,
  group: string,
): Promise<{ count: number; next: number }> {
  const { first, next } = (await numbersOf(session, journal, group)) ?? { first: 1, next: 1 }
  return { count: next - first, next }
}

export async function groupNames(session: Session, journal: string): Promise<string[]> {
  return (await session.query<{ name: string }>('SELECT name FROM journal_groups WHERE journal = $1', [journal])).map(
    ({ name }) => name,
  )
}

/** Drops the records before a position, so that they are no longer read. Returns their number. */
export async function dropRecords(session: Session, journal: string, group: string, before: number): Promise<number> {
  const numbers = await numbersOf(session, journal, group)
  const dropped = numbers ? Math.max(0, Math.min(before, numbers.next) - numbers.first) : 0
  if (dropped > 0)
    await session.query('UPDATE journal_groups SET first = first + $3::bigint WHERE journal = $1 AND grp = $2', [
      journal,
      keyText(group),
      dropped,
    ])
  return dropped
}

/** Deletes some dropped records. Returns whether there may be more. */
export async function deleteDropped(session: Session, journal: string, group: string): Promise<boolean> {
  const text = `DELETE FROM journal_records r USING (
      SELECT old.position FROM journal_records old JOIN journal_groups g ON g.journal = old.journal AND g.grp = old.grp
      WHERE old.journal = $1 AND old.grp = $2 AND old.position < g.first LIMIT $3) old
    WHERE r.journal = $1 AND r.grp = $2 AND r.position = old.position RETURNING r.position`
  return (await session.query(text, [journal, keyText(group), DELETED_AT_ONCE])).length === DELETED_AT_ONCE
}
