/**
 * Accesses the stored documents of a service directly: in the files of its data folder, or in the rows of its database.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { forgetKey } from '../../src/commands/keys.js'
import { migrations } from '../../src/domain/upkeep/migrations.js'
import { documentTables } from '../../src/model/index.js'
import { openPostgresStore, openStore, type Store, type StoreEvent } from '../../src/store/index.js'
import { databaseSettings } from './service-database.js'

/** Opens the documents of a stopped service. */
export async function openDocuments(dir: string, log: (event: StoreEvent) => void = () => {}): Promise<Store> {
  const { BINDERY_DATABASE_URL: url } = await databaseSettings(dir)
  const options = { tables: documentTables, migrations, log }
  return url === undefined
    ? openStore({ dir: join(dir, 'data/store'), ...options })
    : openPostgresStore({ database: { url }, ...options })
}

/** The content of all documents and journals, as one text. */
export async function storedText(dir: string): Promise<string> {
  const rows = await query(
    dir,
    'SELECT body::text AS text FROM documents UNION ALL SELECT body::text FROM journal_records UNION ALL SELECT key FROM document_keys',
  )
  if (rows !== null) return rows.map(({ text }) => text).join('\n')
  const files = await readdir(join(dir, 'data', 'store'), { recursive: true, withFileTypes: true })
  const texts = files.filter((one) => one.isFile()).map((one) => readFile(join(one.parentPath, one.name), 'latin1'))
  return (await Promise.all(texts)).join('')
}

/**
 * Replaces keys as an operator does: a start rejects another key until the fingerprint is deleted. Without a database,
 * the service must be closed.
 */
export async function forgetKeys(dir: string): Promise<void> {
  if ((await query(dir, 'DELETE FROM key_fingerprints')) === null)
    await forgetKey({ databaseUrl: null, dataDir: join(dir, 'data') }, 'signing')
}

/** Null if there is no database. */
async function query(dir: string, sql: string): Promise<{ text: string }[] | null> {
  const { BINDERY_DATABASE_URL: connectionString } = await databaseSettings(dir)
  if (connectionString === undefined) return null
  const client = new Client({ connectionString })
  await client.connect()
  try {
    return (await client.query<{ text: string }>(sql)).rows
  } finally {
    await client.end()
  }
}
