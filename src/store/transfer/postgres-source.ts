/** Reads all documents and journals in PostgreSQL unchanged, while no server uses them. */
import { type Database, migrate } from '../../postgres/index.js'
import { StoreTooNew } from '../errors.js'
import { deepFreeze } from '../json.js'
import type { JournalEntry } from '../journal/segment.js'
import { inOrder } from '../migrate.js'
import { keyText } from '../postgres/encoding.js'
import { ROOM, steps } from '../postgres/schema.js'
import type { Migration } from '../types.js'
import type { AnyDocument } from '../view.js'
import { StoreTooOld } from './embedded-source.js'
import { AT_ONCE, type GroupExtent, type StoreSource } from './types.js'

/**
 * Opens the documents of a database for reading. `close` leaves the database open. Throws `DatabaseAway`,
 * `StoreTooNew`, `StoreTooOld`.
 */
export async function openPostgresSource(database: Database, migrations: readonly Migration[]): Promise<StoreSource> {
  await migrate(database, ROOM, steps)
  const [row] = await database.query<{ version: number }>('SELECT version FROM document_migrations')
  const newest = inOrder(migrations).length
  const migrated = row?.version ?? newest
  if (migrated > newest)
    throw new StoreTooNew(
      'the database',
      `the documents are at migration ${migrated}, but the latest one in this release is ${newest}`,
    )
  if (migrated < newest)
    throw new StoreTooOld(
      'The database was last used by an earlier release. Start this release on it once (`bindery serve`), stop it, and try again.',
    )
  return sourceOf(database, migrated)
}

function sourceOf(database: Database, migrated: number): StoreSource {
  return {
    migrated,
    async tables() {
      return (await database.query<{ of: string }>('SELECT DISTINCT of FROM documents')).map(({ of }) => of).sort()
    },
    async *documents(table) {
      for (let last: string | null = null; ; ) {
        const text =
          'SELECT id, body FROM documents WHERE of = $1 AND ($2::text IS NULL OR id > $2) ORDER BY id LIMIT $3'
        const rows: { id: string; body: AnyDocument }[] = await database.query<{ id: string; body: AnyDocument }>(
          text,
          [table, last, AT_ONCE],
        )
        yield rows.map(({ body }) => deepFreeze(body))
        const end = rows.at(-1)
        if (!end || rows.length < AT_ONCE) return
        last = end.id
      }
    },
    async groups() {
      const text = 'SELECT journal, name AS group, first::float8 AS first, next::float8 AS next FROM journal_groups'
      return database.query<GroupExtent>(text)
    },
    async *records({ journal, group, first }) {
      for (let from = first; ; ) {
        const text = `SELECT position::float8 AS position, at, body AS record FROM journal_records
          WHERE journal = $1 AND grp = $2 AND position >= $3::bigint ORDER BY position LIMIT $4`
        const rows: JournalEntry[] = await database.query<JournalEntry>(text, [journal, keyText(group), from, AT_ONCE])
        yield rows.map((row) => ({ ...row, record: deepFreeze(row.record) }))
        const end = rows.at(-1)
        if (!end || rows.length < AT_ONCE) return
        from = end.position + 1
      }
    },
    close: async () => {},
  }
}
