/** Writes the documents and journals of another store into PostgreSQL. */
import { type Database, migrate, type Session } from '../../postgres/index.js'
import type { JournalEntry } from '../journal/segment.js'
import { keyText } from '../postgres/encoding.js'
import { rowsOf, shapeOf } from '../postgres/rows.js'
import { ROOM, steps } from '../postgres/schema.js'
import { type AnyDocument, type AnyTable, entryOf } from '../view.js'
import type { GroupExtent, StoreSource } from './types.js'

/** Creates or migrates the tables, and returns the number of documents. */
export async function prepareDocuments(database: Database): Promise<number> {
  await migrate(database, ROOM, steps)
  const [row] = await database.query<{ count: number }>('SELECT count(*)::int AS count FROM documents')
  return row?.count ?? 0
}

/**
 * Replaces the whole content with the content of a source. This takes many transactions, so concurrent readers see a
 * part of it. After an interruption, start it again from the beginning.
 */
export async function writePostgresStore(
  database: Database,
  source: StoreSource,
  tables: readonly AnyTable[],
): Promise<void> {
  await database.query(
    'TRUNCATE documents, document_keys, document_places, document_list_lengths, journal_groups, journal_records, document_migrations',
  )
  await database.query('INSERT INTO document_migrations VALUES (true, $1)', [source.migrated])
  const definitions = new Map(tables.map((one) => [one.name, one]))
  for (const name of await source.tables()) {
    const of = definitions.get(name)
    for await (const some of source.documents(name))
      if (some.length > 0)
        await database.transact((session) => insertDocuments(session, { name, of, some }), 'READ COMMITTED')
  }
  for (const extent of await source.groups()) {
    await insertGroup(database, extent)
    for await (const some of source.records(extent)) if (some.length > 0) await insertRecords(database, extent, some)
  }
}

/** The shape of documents in a table that this release does not know. They have no index rows. */
const UNKNOWN = ''

export async function insertDocuments(
  session: Session,
  { name, of, some }: { name: string; of: AnyTable | undefined; some: readonly AnyDocument[] },
): Promise<void> {
  const text =
    'INSERT INTO documents (of, id, version, shape, body) SELECT $1, id, version, $2, body FROM unnest($3::text[], $4::bigint[], $5::json[]) AS t (id, version, body)'
  const ids = some.map(({ id }) => keyText(id))
  await session.query(text, [
    name,
    of ? shapeOf(of) : UNKNOWN,
    ids,
    some.map(({ version }) => version),
    some.map((one) => JSON.stringify(one)),
  ])
  if (!of) return
  const rows = some.map((document) => ({ id: keyText(document.id), ...rowsOf(of, entryOf(of, document)) }))
  const keys = rows.flatMap(({ id, keys: all }) => [...all.values()].map((key) => ({ id, ...key })))
  await session.query(
    'INSERT INTO document_keys (of, id, index, key, once) SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::boolean[])',
    [
      name,
      keys.map(({ id }) => id),
      keys.map(({ index }) => index),
      keys.map(({ key }) => key),
      keys.map(({ once }) => String(once)),
    ],
  )
  const places = rows.flatMap(({ id, places: all }) => [...all.values()].map((place) => ({ id, ...place })))
  const columns = [places.map(({ id }) => id), places.map(({ list }) => list), places.map(({ grp }) => grp)]
  await session.query(
    'INSERT INTO document_places (of, id, list, grp, place, rest) SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::bytea[], $6::bytea[])',
    [name, ...columns, places.map(({ place }) => place), places.map(({ rest }) => rest)],
  )
}

export async function insertGroup(session: Session, { journal, group, first, next }: GroupExtent): Promise<void> {
  const text = 'INSERT INTO journal_groups (journal, grp, name, first, next) VALUES ($1, $2, $3, $4, $5)'
  await session.query(text, [journal, keyText(group), JSON.stringify(group), first, next])
}

export async function insertRecords(
  session: Session,
  { journal, group }: GroupExtent,
  some: readonly JournalEntry[],
): Promise<void> {
  const text = `INSERT INTO journal_records (journal, grp, position, at, body)
    SELECT $1, $2, * FROM unnest($3::bigint[], $4::text[], $5::json[])`
  const bodies = some.map(({ record }) => JSON.stringify(record))
  await session.query(text, [
    journal,
    keyText(group),
    some.map(({ position }) => position),
    some.map(({ at }) => at),
    bodies,
  ])
}
