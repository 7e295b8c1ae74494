/** A lock on the whole database that one process holds for as long as it runs, on a connection of its own. */
import { setTimeout as wait } from 'node:timers/promises'
import { Client, type ClientConfig } from 'pg'
import { DatabaseAway, isAway } from './errors.js'

/** Another process holds the database. */
export class DatabaseHeld extends Error {
  constructor() {
    super(
      'Another Bindery server runs on this database (BINDERY_DATABASE_URL). Only one may, since its repositories lie on its disk: stop the other one, or give this one a database of its own.',
    )
    this.name = 'DatabaseHeld'
  }
}

/** The lock as its holder sees it. */
export interface Held {
  /** Whether this process has the lock. It has not between the end of a connection and the next. */
  readonly holds: boolean
  close(): Promise<void>
}

/** The number of the advisory lock. */
const LOCK = 0x62_69_6e_65
/** How long a lock is waited for at first: that of a process that was killed is freed when the database notices the end of its connection. */
const FREED_MS = 5_000
const PAUSE_MS = 250

export class SoleHolder implements Held {
  readonly #config: ClientConfig
  readonly #stop = new AbortController()
  #client: Client | null = null
  #keeping: Promise<void> = Promise.resolve()

  constructor(config: ClientConfig) {
    this.#config = config
  }

  get holds(): boolean {
    return this.#client !== null
  }

  /** Takes the lock. Throws `DatabaseHeld` if another process keeps it, `DatabaseAway`. */
  async take(): Promise<void> {
    const until = performance.now() + FREED_MS
    while (!(await this.#attempt())) {
      if (performance.now() > until) throw new DatabaseHeld()
      await wait(PAUSE_MS)
    }
  }

  async #attempt(): Promise<boolean> {
    const client = new Client(this.#config)
    const ended = new Promise<void>((done) => {
      client.once('end', done)
      client.on('error', () => done())
    })
    try {
      await client.connect()
      const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [LOCK])
      if (rows[0]?.taken) {
        this.#client = client
        this.#keeping = this.#keep(ended)
        return true
      }
    } catch (error) {
      await client.end().catch(() => {})
      throw isAway(error) ? new DatabaseAway(error) : error
    }
    await client.end().catch(() => {})
    return false
  }

  /** When the connection ends, takes the lock again, as often as it needs. */
  async #keep(ended: Promise<void>): Promise<void> {
    await ended
    this.#client = null
    while (!this.#stop.signal.aborted) {
      await wait(PAUSE_MS, undefined, { signal: this.#stop.signal }).catch(() => {})
      if (this.#stop.signal.aborted || (await this.#attempt().catch(() => false))) return
    }
  }

  async close(): Promise<void> {
    this.#stop.abort()
    // An attempt under way may still take the lock.
    do {
      await this.#client?.end().catch(() => {})
      await this.#keeping
    } while (this.#client !== null)
  }
}
