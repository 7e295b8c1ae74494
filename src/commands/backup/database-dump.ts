/**
 * Dumps the database of an installation, and restores the dump, with the programs of PostgreSQL. A dump is consistent,
 * because it reads one snapshot of the database. Its files are not compressed, so that later backups find the same chunks.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { asError, errorCode } from '../../kernel/thrown.js'
import { openDatabase } from '../../postgres/index.js'
import { OperatorError } from '../maintenance.js'

/** Maximum number of bytes of messages of a program. */
const MAX_MESSAGES = 1024 * 1024

/** Runs a program of PostgreSQL. The password is in its environment, because other users can read its arguments. */
async function run(program: 'pg_dump' | 'pg_restore', url: string, args: readonly string[]): Promise<void> {
  const parsed = new URL(url)
  const password = decodeURIComponent(parsed.password)
  parsed.password = ''
  const env = { ...process.env, ...(password === '' ? {} : { PGPASSWORD: password }) }
  try {
    await promisify(execFile)(program, [`--dbname=${parsed}`, ...args], { env, maxBuffer: MAX_MESSAGES })
  } catch (error) {
    if (errorCode(error) === 'ENOENT')
      throw new OperatorError(
        `The command ${program} is missing. Install the package postgresql-client, in the version of the server or a later one.`,
      )
    const { stderr } = error instanceof Error && 'stderr' in error ? error : { stderr: asError(error).message }
    throw new OperatorError(`${program} failed: ${String(stderr).trim()}`)
  }
}

/** Writes a dump into a folder that does not exist. Throws `OperatorError`. */
export const dumpDatabase = (url: string, folder: string): Promise<void> =>
  run('pg_dump', url, [
    '--format=directory',
    '--compress=0',
    '--no-unlogged-table-data',
    '--no-owner',
    '--no-privileges',
    `--file=${folder}`,
  ])

/** Restores a dump into an empty database, completely or not at all. Throws `OperatorError`. */
export async function restoreDatabase(url: string, folder: string): Promise<void> {
  await requireEmpty(url)
  await run('pg_restore', url, ['--single-transaction', '--exit-on-error', '--no-owner', '--no-privileges', folder])
}

async function requireEmpty(url: string): Promise<void> {
  const database = openDatabase({ url, connections: 1, application: 'bindery restore' })
  try {
    const [row] = await database.query<{ tables: number }>(
      "SELECT count(*)::int AS tables FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')",
    )
    if ((row?.tables ?? 0) > 0)
      throw new OperatorError('The database of BINDERY_DATABASE_URL is not empty. Create an empty one, or name it.')
  } finally {
    await database.close()
  }
}

/** Runs work with a new database on the same server, and drops it. Throws `OperatorError` if the user may not create one. */
export async function withScratchDatabase<T>(url: string, work: (url: string) => Promise<T>): Promise<T> {
  const name = `bindery_verify_${process.pid}_${Date.now()}`
  const database = openDatabase({ url, connections: 1, application: 'bindery backup' })
  try {
    await database.query(`CREATE DATABASE ${name}`).catch((error: unknown) => {
      throw new OperatorError(
        `--verify restores into a new database, and the user cannot create one (${asError(error).message}). Grant CREATEDB, or omit --verify.`,
      )
    })
    const scratch = new URL(url)
    scratch.pathname = `/${name}`
    return await work(scratch.toString()).finally(() => database.query(`DROP DATABASE ${name} WITH (FORCE)`))
  } finally {
    await database.close()
  }
}
