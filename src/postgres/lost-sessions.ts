/**
 * Ends the sessions of connections that broke. The database may not have been told: such a session keeps what it has locked until it has been idle for
 * too long, and if several wait for one lock, each gets it in its turn and keeps it as long.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Client, ClientConfig } from 'pg'
import { postgres } from './library.js'

/** How long one attempt may take, the pause between attempts, and after how long they are given up, in milliseconds: the database ends the sessions by then. */
const ASK_MS = 2_000
const PAUSE_MS = 250
const GIVE_UP_MS = 60_000

/** A session, by the number of its process at the database, and the moment at which its connection had been made. */
interface Lost {
  process: number
  made: number
  until: number
}

/** A number can be given to a later process: whoever is younger than the connection was is not its session. The numbers that something between changed are nobody's. */
const END = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity JOIN unnest($1::int[], $2::float8[]) AS lost (process, age) ON pid = process
  WHERE pg_backend_pid() = $3 AND usename = current_user AND now() - backend_start >= age * interval '1 millisecond'`

export class LostSessions {
  readonly #config: ClientConfig
  /** How a connection is closed, also one that leads nowhere. */
  readonly #close: (client: Client) => void
  // bound: connections of the pool that broke within GIVE_UP_MS
  #lost: Lost[] = []
  #running = false
  #closed = false

  constructor(config: ClientConfig, close: (client: Client) => void) {
    this.#config = { ...config, connectionTimeoutMillis: ASK_MS, query_timeout: ASK_MS }
    this.#close = close
  }

  /** The session of a connection that broke is ended as soon as the database can be reached. */
  add(process: number, made: number): void {
    if (this.#closed) return
    this.#lost.push({ process, made, until: performance.now() + GIVE_UP_MS })
    if (!this.#running) void this.#run()
  }

  /** Gives up on all of them, and on those to come. */
  close(): void {
    this.#closed = true
    this.#lost = []
  }

  async #run(): Promise<void> {
    this.#running = true
    while (this.#lost.length > 0) {
      const now = performance.now()
      const some = this.#lost
      const ended = await this.#end(some)
      this.#lost = this.#lost.filter((one) => one.until > now && !(ended && some.includes(one)))
      if (this.#lost.length > 0) await wait(PAUSE_MS, undefined, { ref: false })
    }
    this.#running = false
  }

  /** Whether the database could be asked. */
  async #end(some: readonly Lost[]): Promise<boolean> {
    const client = new (postgres().Client)(this.#config)
    client.on('error', () => {})
    try {
      await client.connect()
      const ages = some.map(({ made }) => performance.now() - made)
      await client.query(END, [some.map(({ process }) => process), ages, processOf(client)])
      return true
    } catch {
      return false
    } finally {
      this.#close(client)
    }
  }
}

/** The number of the server's process for a connection, which the server tells when it is made. */
export const processOf = (client: object): number => (client as { processID?: number }).processID ?? 0
