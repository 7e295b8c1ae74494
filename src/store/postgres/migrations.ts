/** Migrates the documents in PostgreSQL from one release to the next, as `migrate.ts` does for the embedded store. */
import type { Database, Session } from '../../postgres/index.js'
import { deepFreeze } from '../json.js'
import type { RawDocument } from '../database.js'
import { StoreTooNew } from '../errors.js'
import type { Operation } from '../log.js'
import { inOrder, RawView } from '../migrate.js'
import type { Migration, StoreEvent } from '../types.js'
import { type AnyDocument, type AnyTable, ownerOf } from '../view.js'
import { keyText } from './encoding.js'

/**
 * The shape of documents that a migration wrote: their rows belong to no release, and are created after the migration.
 */
const NO_SHAPE = ''

/**
 * Runs the migrations that the documents have not had yet, each in one transaction, which holds all documents in
 * memory. A new database needs none. Throws `StoreTooNew` if the documents have had more migrations than the code has.
 */
export async function migrateDocuments(
  database: Database,
  {
    tables,
    migrations,
    tell,
  }: { tables: readonly AnyTable[]; migrations: readonly Migration[]; tell: (event: StoreEvent) => void },
): Promise<void> {
  const sorted = inOrder(migrations)
  const had = await database.transact((session) => versionOf(session, sorted.length))
  if (had > sorted.length)
    throw new StoreTooNew(
      'the database',
      `the documents are at migration ${had}, but the latest one in this release is ${sorted.length}`,
    )
  for (const migration of sorted.slice(had)) {
    const ran = await database.transact(async (session) => {
      if ((await versionOf(session, sorted.length)) >= migration.version) return false
      const view = new RawView(await loadAll(session, tables), new Map(tables.map((of) => [of.name, of])))
      await migration.run(view)
      for (const operation of view.operations()) await apply(session, operation)
      await session.query('UPDATE document_migrations SET version = $1', [migration.version])
      return true
    })
    if (ran) tell({ event: 'migrated', version: migration.version, name: migration.name })
  }
}

/** Returns the number of migrations that the documents have had. A new database has the schema of this release. */
async function versionOf(session: Session, newest: number): Promise<number> {
  await session.query('INSERT INTO document_migrations VALUES (true, $1) ON CONFLICT DO NOTHING', [newest])
  const [row] = await session.query<{ version: number }>('SELECT version FROM document_migrations')
  return row?.version ?? newest
}

async function loadAll(session: Session, tables: readonly AnyTable[]): Promise<Map<string, RawDocument[]>> {
  const definitions = new Map(tables.map((of) => [of.name, of]))
  const found = new Map<string, RawDocument[]>()
  for (const { of, body } of await session.query<{ of: string; body: AnyDocument }>('SELECT of, body FROM documents')) {
    const definition = definitions.get(of)
    const raw = { document: deepFreeze(body), owner: definition ? ownerOf(definition, body) : '' }
    const list = found.get(of)
    if (list) list.push(raw)
    else found.set(of, [raw])
  }
  return found
}

async function apply(session: Session, operation: Operation): Promise<void> {
  if ('put' in operation) {
    const { c: of, put } = operation
    const text = `INSERT INTO documents (of, id, version, shape, body) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (of, id) DO UPDATE SET version = excluded.version, shape = excluded.shape, body = excluded.body`
    await session.query(text, [of, keyText(put.id), put.version, NO_SHAPE, JSON.stringify(put)])
  } else if ('remove' in operation) {
    const values = [operation.c, keyText(operation.remove)]
    for (const table of ['documents', 'document_keys', 'document_places'])
      await session.query(`DELETE FROM ${table} WHERE of = $1 AND id = $2`, values)
  }
}
