/** Creates the index rows of documents that were written by a release with other indexes or orders. */
import type { Database, Session } from '../../postgres/index.js'
import { DuplicateKey } from '../errors.js'
import { type AnyDocument, type AnyTable, entryOf } from '../view.js'
import { takenKey } from './read-documents.js'
import { NO_ROWS, rowsOf, shapeOf } from './rows.js'
import { putDocument } from './write-documents.js'

/** Number of documents that are read at a time. */
const AT_ONCE = 500

/**
 * Recreates all index rows of each table that has a document of another shape, each table in one transaction. Throws
 * `DuplicateKey` if stored documents violate a unique index.
 */
export async function reshape(database: Database, tables: readonly AnyTable[]): Promise<void> {
  const found = await database.query<{ of: string; shape: string }>('SELECT DISTINCT of, shape FROM documents')
  for (const of of tables) {
    if (found.some((one) => one.of === of.name && one.shape !== shapeOf(of)))
      await database.transact((session) => reshapeTable(session, of))
  }
}

async function reshapeTable(session: Session, of: AnyTable): Promise<void> {
  for (const table of ['document_keys', 'document_places'])
    await session.query(`DELETE FROM ${table} WHERE of = $1`, [of.name])
  for (let last: string | null = null; ; ) {
    const text = 'SELECT id, body FROM documents WHERE of = $1 AND ($2::text IS NULL OR id > $2) ORDER BY id LIMIT $3'
    const some: { id: string; body: AnyDocument }[] = await session.query<{ id: string; body: AnyDocument }>(text, [
      of.name,
      last,
      AT_ONCE,
    ])
    for (const { body } of some) await putAgain(session, of, body)
    const end = some.at(-1)
    if (!end) return
    last = end.id
  }
}

async function putAgain(session: Session, of: AnyTable, document: AnyDocument): Promise<void> {
  const rows = rowsOf(of, entryOf(of, document))
  const taken = await takenKey(session, of, document.id, [...rows.keys.values()])
  if (taken) throw new DuplicateKey(of.name, taken.index, taken.given)
  await putDocument(session, of, document, NO_ROWS, rows)
}
