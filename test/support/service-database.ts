/** With `STORE=postgres`, the services of a test run have their documents in databases of one PostgreSQL, which the run starts and ends. */
import { createHash } from 'node:crypto'
import { Client } from 'pg'
import { startPostgres } from './postgres.js'

/** Where the processes of the run find the URL of the server's first database. */
const SERVER = 'TEST_DATABASE_SERVER'

/** Starts the server if the run is to have one; returns what ends it. */
export async function startServiceDatabases(): Promise<() => Promise<void>> {
  if (process.env.STORE !== 'postgres') return async () => {}
  const server = await startPostgres()
  const kill = (): void => void server.crash()
  process.once('exit', kill)
  process.env[SERVER] = await server.database()
  return async () => {
    process.off('exit', kill)
    await server.close()
  }
}

/** The setting for a service with its data in `dir`: one started there again finds its documents. */
export async function databaseSettings(dir: string): Promise<{ BINDERY_DATABASE_URL?: string }> {
  const server = process.env[SERVER]
  if (server === undefined) return {}
  const name = `service_${createHash('sha256').update(dir).digest('hex').slice(0, 24)}`
  const client = new Client({ connectionString: server })
  await client.connect()
  try {
    await client.query(`CREATE DATABASE ${name}`).catch((error: { code?: string }) => {
      if (error.code !== '42P04') throw error
    })
  } finally {
    await client.end()
  }
  return { BINDERY_DATABASE_URL: server.replace(/\/[^/?]+\?/, `/${name}?`) }
}
