/** Several real services on one database, each with its own folders. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Postgres, startPostgres } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'

export interface Nodes {
  postgres: Postgres
  url: string
  all: TestService[]
  /** Starts one more node. */
  add(env?: Record<string, string>): Promise<TestService>
  /** Stops a node and starts it again, with its old disk or an empty one. */
  restart(node: TestService, disk: 'kept' | 'empty'): Promise<void>
  close(): Promise<void>
}

/** The duration of their leases in milliseconds. */
export const LEASE_MS = 1_500

/** Starts `count` services at once on a new database. */
export async function startNodes(count: number, env: Record<string, string> = {}): Promise<Nodes> {
  const postgres = await startPostgres()
  const url = await postgres.database()
  const all: TestService[] = []
  const startOne = (more: Record<string, string> = {}, dir?: string): Promise<TestService> =>
    startService({
      env: { ...env, ...more, BINDERY_DATABASE_URL: url },
      overrides: { leaseMs: LEASE_MS },
      ...(dir === undefined ? {} : { dir }),
    })
  const add = async (more: Record<string, string> = {}): Promise<TestService> => {
    const node = await startOne(more)
    all.push(node)
    return node
  }
  await Promise.all(Array.from({ length: count }, () => add()))
  return {
    postgres,
    url,
    all,
    add,
    restart: async (node, disk) => {
      await node.service.close()
      if (disk === 'empty')
        for (const folder of ['data', 'repos']) await rm(join(node.dir, folder), { recursive: true, force: true })
      all[all.indexOf(node)] = await startOne({}, node.dir)
    },
    close: async () => {
      await Promise.all(all.map((node) => node.close()))
      await postgres.close()
    },
  }
}

export const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((done) => setTimeout(done, 20))
}
