/**
 * With `STORE=postgres`, the services of a test run store all data in databases of one PostgreSQL server, which the run
 * starts and ends.
 */
import { createHash } from 'node:crypto'
import { Client } from 'pg'
import { onPostgres } from './on-postgres.js'
import { startPostgres } from './postgres.js'

/** The variable in which processes of the run find the URL of the server's first database. */
const SERVER = 'TEST_DATABASE_SERVER'

/** Starts the server if the run needs one. Returns a function that ends it. */
export async function startServiceDatabases(): Promise<() => Promise<void>> {
  if (!onPostgres) return async () => {}
  const server = await startPostgres()
  const kill = (): void => void server.crash()
  process.once('exit', kill)
  process.env[SERVER] = await server.database()
  return async () => {
    process.off('exit', kill)
    await server.close()
  }
}

const nameFor = (dir: string): string => `service_${createHash('sha256').update(dir).digest('hex').slice(0, 24)}`

/** The database setting for a service with its data in `dir`. A service that is restarted there finds its data. */
export async function databaseSettings(dir: string): Promise<{ BINDERY_DATABASE_URL?: string }> {
  const name = nameFor(dir)
  const made = await ask(`CREATE DATABASE ${name}`, '42P04')
  return made === null ? {} : { BINDERY_DATABASE_URL: made.replace(/\/[^/?]+\?/, `/${name}?`) }
}

/** Deletes the database of a service whose folder is deleted. Hundreds of databases would fill the memory. */
export async function dropDatabase(dir: string): Promise<void> {
  await ask(`DROP DATABASE IF EXISTS ${nameFor(dir)} WITH (FORCE)`)
}

/** Returns the URL of the server, or null if there is none. */
async function ask(sql: string, harmless?: string): Promise<string | null> {
  const server = process.env[SERVER]
  if (server === undefined) return null
  const client = new Client({ connectionString: server })
  await client.connect()
  try {
    await client.query(sql).catch((error: { code?: string }) => {
      if (error.code !== harmless) throw error
    })
  } finally {
    await client.end()
  }
  return server
}
