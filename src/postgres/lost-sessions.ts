/**
 * Ends the sessions of broken connections. The database may not notice that a connection broke. Its session then keeps
 * its locks until it has been idle for too long. If several sessions wait for one lock, each of them gets it in turn
 * and keeps it as long.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Client, ClientConfig } from 'pg'
import { postgres } from './library.js'

/**
 * Maximum time of one attempt, pause between attempts, and time after which the attempts stop because the database has
 * ended the sessions, in milliseconds.
 */
const ASK_MS = 2_000
const PAUSE_MS = 250
const GIVE_UP_MS = 60_000

/** A session, identified by the number of its server process and the time at which its connection was made. */
interface Lost {
  process: number
  made: number
  until: number
}

/**
 * A later process can reuse a number. A process that is younger than the connection is not its session. If a proxy
 * changes the process numbers, no number matches.
 */
const END = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity JOIN unnest($1::int[], $2::float8[]) AS lost (process, age) ON pid = process
  WHERE pg_backend_pid() = $3 AND usename = current_user AND now() - backend_start >= age * interval '1 millisecond'`

export class LostSessions {
  readonly #config: ClientConfig
  /** Closes a connection, even a dead one. */
  readonly #close: (client: Client) => void
  // bound: connections of the pool that broke within GIVE_UP_MS
  #lost: Lost[] = []
  #running = false
  #closed = false

  constructor(config: ClientConfig, close: (client: Client) => void) {
    this.#config = { ...config, connectionTimeoutMillis: ASK_MS, query_timeout: ASK_MS }
    this.#close = close
  }

  /** Ends the session of a broken connection as soon as the database can be reached. */
  add(process: number, made: number): void {
    if (this.#closed) return
    this.#lost.push({ process, made, until: performance.now() + GIVE_UP_MS })
    if (!this.#running) void this.#run()
  }

  /** Stops all attempts. Later calls of `add` have no effect. */
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

  /** Returns whether the database could be reached. */
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

/** Returns the number of the server process for a connection. The server sends it when the connection is made. */
export const processOf = (client: object): number =>
  'processID' in client && typeof client.processID === 'number' ? client.processID : 0
