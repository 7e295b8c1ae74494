/** Several real services on one database, each with folders of its own. */
import { type Postgres, startPostgres } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'

export interface Nodes {
  postgres: Postgres
  url: string
  all: TestService[]
  /** Starts one more. */
  add(env?: Record<string, string>): Promise<TestService>
  close(): Promise<void>
}

/** How long their leases last, in milliseconds. */
export const LEASE_MS = 1_500

/** Starts `count` services at once on a new database. */
export async function startNodes(count: number, env: Record<string, string> = {}): Promise<Nodes> {
  const postgres = await startPostgres()
  const url = await postgres.database()
  const all: TestService[] = []
  const add = async (more: Record<string, string> = {}): Promise<TestService> => {
    const node = await startService({ env: { ...env, ...more, BINDERY_DATABASE_URL: url }, overrides: { leaseMs: LEASE_MS } })
    all.push(node)
    return node
  }
  await Promise.all(Array.from({ length: count }, () => add()))
  return {
    postgres,
    url,
    all,
    add,
    close: async () => {
      await Promise.all(all.map((node) => node.close()))
      await postgres.close()
    },
  }
}

export const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((done) => setTimeout(done, 20))
}
