/** Writes documents to PostgreSQL, each with its index rows. */
import type { Session } from '../../postgres/index.js'
import type { AnyDocument, AnyTable } from '../view.js'
import { keyText } from './encoding.js'
import { type KeyRow, NO_ROWS, type PlaceRow, type Rows, shapeOf, without } from './rows.js'

/** Inserts or replaces a document. Adds the new index rows, and removes those of `before` that no longer apply. */
export async function putDocument(
  session: Session,
  of: AnyTable,
  document: AnyDocument,
  before: Rows,
  after: Rows,
): Promise<void> {
  const id = keyText(document.id)
  const text = `INSERT INTO documents (of, id, version, shape, body) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (of, id) DO UPDATE SET version = excluded.version, shape = excluded.shape, body = excluded.body`
  await session.query(text, [of.name, id, document.version, shapeOf(of), JSON.stringify(document)], 'put document')
  await changeRows(session, of, id, before, after)
}

/** Removes a document with its index rows. */
export async function removeDocument(session: Session, of: AnyTable, id: string, before: Rows): Promise<void> {
  await session.query('DELETE FROM documents WHERE of = $1 AND id = $2', [of.name, keyText(id)], 'remove document')
  await changeRows(session, of, keyText(id), before, NO_ROWS)
}

async function changeRows(session: Session, of: AnyTable, id: string, before: Rows, after: Rows): Promise<void> {
  await removeKeys(session, of, id, without(before.keys, after.keys))
  await removePlaces(session, of, id, without(before.places, after.places))
  await addKeys(session, of, id, without(after.keys, before.keys))
  await addPlaces(session, of, id, without(after.places, before.places))
}

async function removeKeys(session: Session, of: AnyTable, id: string, rows: readonly KeyRow[]): Promise<void> {
  if (rows.length === 0) return
  const text = `DELETE FROM document_keys k USING unnest($3::text[], $4::text[]) AS gone (index, key)
    WHERE k.of = $1 AND k.id = $2 AND k.index = gone.index AND k.key = gone.key`
  await session.query(text, [of.name, id, rows.map(({ index }) => index), rows.map(({ key }) => key)], 'remove keys')
}

async function addKeys(session: Session, of: AnyTable, id: string, rows: readonly KeyRow[]): Promise<void> {
  if (rows.length === 0) return
  const text = `INSERT INTO document_keys (of, id, index, key, once)
    SELECT $1, $2, * FROM unnest($3::text[], $4::text[], $5::boolean[])`
  const once = rows.map((row) => String(row.once))
  await session.query(text, [of.name, id, rows.map(({ index }) => index), rows.map(({ key }) => key), once], 'add keys')
}

async function removePlaces(session: Session, of: AnyTable, id: string, rows: readonly PlaceRow[]): Promise<void> {
  if (rows.length === 0) return
  const text = `DELETE FROM document_places p USING unnest($3::text[], $4::text[], $5::bytea[]) AS gone (list, grp, place)
    WHERE p.of = $1 AND p.id = $2 AND p.list = gone.list AND p.grp = gone.grp AND p.place = gone.place`
  await session.query(text, [of.name, id, ...columnsOf(rows)], 'remove places')
}

async function addPlaces(session: Session, of: AnyTable, id: string, rows: readonly PlaceRow[]): Promise<void> {
  if (rows.length === 0) return
  const text = `INSERT INTO document_places (of, id, list, grp, place, rest)
    SELECT $1, $2, * FROM unnest($3::text[], $4::text[], $5::bytea[], $6::bytea[])`
  await session.query(text, [of.name, id, ...columnsOf(rows), rows.map(({ rest }) => rest)], 'add places')
}

const columnsOf = (rows: readonly PlaceRow[]): [string[], string[], Buffer[]] => [
  rows.map(({ list }) => list),
  rows.map(({ grp }) => grp),
  rows.map(({ place }) => place),
]

/**
 * Removes all index rows of a document, for one that a release with other indexes wrote. Scans the rows of the table.
 */
export async function removeAllRows(session: Session, of: AnyTable, id: string): Promise<void> {
  await session.query('DELETE FROM document_keys WHERE of = $1 AND id = $2', [of.name, keyText(id)])
  await session.query('DELETE FROM document_places WHERE of = $1 AND id = $2', [of.name, keyText(id)])
}
