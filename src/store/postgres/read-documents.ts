/** Reads documents from PostgreSQL, inside or outside a transaction. */
import type { RangePage, PageRange } from '../../kernel/paging.js'
import type { Session } from '../../postgres/index.js'
import { deepFreeze } from '../json.js'
import { checkIndex, orderOf } from '../transaction.js'
import type { Document, Table } from '../types.js'
import type { AnyTable } from '../view.js'
import { keyText, placeOf } from './encoding.js'
import { LENGTH } from './list-lengths.js'
import type { KeyRow } from './rows.js'

/** A document in the result of a statement. pg parses `json`. */
interface DocumentRow<T extends object> {
  body: Document<T>
}

const documentsOf = <T extends object>(rows: readonly DocumentRow<T>[]): Document<T>[] =>
  rows.map(({ body }) => deepFreeze(body))

/** Returns a document and the shape in which it was written; null if there is none. */
export async function storedDocument<T extends object>(
  session: Session,
  of: Table<T, string>,
  id: string,
): Promise<{ document: Document<T>; shape: string } | null> {
  const text = 'SELECT body, shape FROM documents WHERE of = $1 AND id = $2'
  const [row] = await session.query<DocumentRow<T> & { shape: string }>(text, [of.name, keyText(id)], 'document')
  return row ? { document: deepFreeze(row.body), shape: row.shape } : null
}

export async function findDocuments<T extends object>(
  session: Session,
  of: Table<T, string>,
  index: string,
  key: string,
): Promise<Document<T>[]> {
  checkIndex(of, index)
  const text = `SELECT d.body FROM document_keys k JOIN documents d ON d.of = k.of AND d.id = k.id
    WHERE k.of = $1 AND k.index = $2 AND k.key = $3`
  return documentsOf(await session.query<DocumentRow<T>>(text, [of.name, index, keyText(key)], 'documents by key'))
}

export async function countDocuments(
  session: Session,
  of: Pick<AnyTable, 'name' | 'indexes'>,
  index: string,
  key: string,
): Promise<number> {
  checkIndex(of, index)
  const text = 'SELECT count(*)::int AS count FROM document_keys WHERE of = $1 AND index = $2 AND key = $3'
  const [row] = await session.query<{ count: number }>(text, [of.name, index, keyText(key)], 'count by key')
  return row?.count ?? 0
}

export async function allDocuments<T extends object>(session: Session, of: Table<T, string>): Promise<Document<T>[]> {
  return documentsOf(
    await session.query<DocumentRow<T>>('SELECT body FROM documents WHERE of = $1', [of.name], 'all documents'),
  )
}

const FIRST = Buffer.alloc(0)
/** More than the number of entries that a list can have. */
const NO_LIMIT = 2_147_483_647
/** After every place, since places start with 1 or 2. */
const LAST = Buffer.from([0xff])

/**
 * Reads a range of a list together with the list's length in one statement, so that they are consistent. Places are
 * read in index order, including ties in the indexed part: sorting by `rest` as well might read the whole list.
 */
const stretchText = (ascending: boolean): string => {
  const [beyond, direction] = ascending ? ['>', 'ASC'] : ['<', 'DESC']
  return `WITH found AS (
      SELECT id, place, rest FROM document_places
      WHERE of = $1 AND list = $2 AND grp = $3 AND (place, rest) ${beyond} ($4, $5)
      ORDER BY place ${direction} FETCH FIRST (coalesce($6::integer, ${NO_LIMIT})) ROWS WITH TIES)
    SELECT whole.count, stretch.body FROM
      ${LENGTH}
      LEFT JOIN (SELECT found.place, found.rest, d.body FROM found JOIN documents d ON d.of = $1 AND d.id = found.id) stretch ON true
    ORDER BY stretch.place ${direction}, stretch.rest ${direction}`
}
const ASCENDING = stretchText(true)
const DESCENDING = stretchText(false)

export async function readStretch<T extends object>(
  session: Session,
  of: Table<T, string>,
  order: string,
  group: string,
  { after, limit, direction }: PageRange,
): Promise<RangePage<T>> {
  orderOf(of, order)
  const ascending = direction === 'asc'
  const from = after ? placeOf(after) : { place: ascending ? FIRST : LAST, rest: FIRST }
  const values = [of.name, order, keyText(group), from.place, from.rest, Number.isFinite(limit) ? limit + 1 : null]
  const rows = await session.query<{ count: number; body: Document<T> | null }>(
    ascending ? ASCENDING : DESCENDING,
    values,
    `stretch ${direction}`,
  )
  const found = rows.flatMap(({ body }) => (body === null ? [] : [{ body }]))
  return { documents: documentsOf(found.slice(0, limit)), count: rows[0]?.count ?? 0, more: found.length > limit }
}

/** Returns the first key of a unique index that another document already has; null if there is none. */
export async function takenKey(
  session: Session,
  of: AnyTable,
  id: string,
  keys: readonly KeyRow[],
): Promise<KeyRow | null> {
  const once = keys.filter((row) => row.once)
  if (once.length === 0) return null
  const text = `SELECT k.index, k.key FROM document_keys k JOIN unnest($3::text[], $4::text[]) AS wanted (index, key)
    ON k.index = wanted.index AND k.key = wanted.key WHERE k.of = $1 AND k.once AND k.id <> $2`
  const values = [of.name, keyText(id), once.map(({ index }) => index), once.map(({ key }) => key)]
  const taken = await session.query<{ index: string; key: string }>(text, values, 'taken keys')
  return once.find(({ index, key }) => taken.some((row) => row.index === index && row.key === key)) ?? null
}
