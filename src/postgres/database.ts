/** A pool of connections to PostgreSQL: statements, serializable transactions with retries, and notifications. */
import { backOff } from '../kernel/back-off.js'
import { asError } from '../kernel/thrown.js'
import { setTimeout as wait } from 'node:timers/promises'
import type { ClientConfig, PoolClient } from 'pg'
import { Connections, endSoon } from './connections.js'
import { DatabaseAway, isAway, isReadOnly, mayRunAgain } from './errors.js'
import { postgres } from './library.js'

/** The types of values for parameters of a statement. */
export type Value =
  | string
  | number
  | bigint
  | boolean
  | Buffer
  | null
  | readonly string[]
  | readonly number[]
  | readonly Buffer[]

/** Runs statements, either in a transaction or each on its own. */
export interface Session {
  /**
   * Runs one statement with values for `$1`, `$2` …, and returns its rows. With a `name`, the statement is prepared
   * once per connection.
   */
  query<Row extends object>(text: string, values?: readonly Value[], name?: string): Promise<Row[]>
}

export interface DatabaseOptions {
  /**
   * The URL `postgresql://user:password@host/database`. It is a secret that never appears in an error or a log line.
   */
  url: string
  /** The application name of the connections in the database. Default: `bindery`. Nodes use `applicationOf`. */
  application?: string
  /** Maximum number of connections. Default: 10. */
  connections?: number
  /** Maximum time of a statement, and maximum wait for a connection, in milliseconds. Default: 30,000 and 5,000. */
  statementMs?: number
  connectMs?: number
}

type Isolation = 'SERIALIZABLE' | 'READ COMMITTED'

export interface TransactionOptions {
  /**
   * A statement that runs before the work, such as one that waits for a lock. `attempt` is 1, 2, 3 … Even a
   * serializable transaction sees the changes for which `LOCK TABLE` waited.
   */
  first?: (attempt: number) => string
  /** Whether an error, other than a conflict of transactions, means that the work must run again. */
  again?: (error: unknown) => boolean
}

/** A connection with a single owner. */
export interface DedicatedConnection extends Session {
  /** Whether the connection has ended, or the last statement left it unusable. */
  isBroken(): boolean
  end(): void
}

/** A connection that listens for notifications. */
export interface Listening {
  close(): Promise<void>
}

export interface Database extends Session {
  /**
   * Runs `work` in one serializable transaction and commits it. After a conflict with another transaction, `work` runs
   * again, a bounded number of times, so it must have no effects outside its session. Throws `DatabaseAway`: a commit
   * in progress may have happened.
   * @param isolation `READ COMMITTED` for work that first waits for a lock: each statement then sees everything that
   * was committed before it started
   */
  transact<R>(work: (session: Session) => Promise<R>, isolation?: Isolation, options?: TransactionOptions): Promise<R>
  /**
   * Calls `heard` with notifications from `NOTIFY channel`. Notifications are hints. Those that are sent while the
   * connection is down are lost; after each reconnection, `heard` is called with an empty text.
   */
  listen(channel: string, heard: (payload: string) => void): Listening
  /** Takes a connection out of the pool until it is ended. Throws `DatabaseAway`. */
  reserve(): Promise<DedicatedConnection>
  close(): Promise<void>
}

/** Maximum number of attempts for a transaction. */
const ATTEMPTS = 20
/** Pauses between attempts, in milliseconds. */
const PAUSE = { firstMs: 10, maxMs: 200 }
const AGAIN_AFTER = 500
/** Maximum idle time of a transaction between two statements, in milliseconds. */
const IDLE_MS = 3_000

/**
 * Opens the pool. It connects when connections are needed, so opening succeeds even while the database is unreachable.
 */
export function openDatabase(options: DatabaseOptions): Database {
  return new PostgresDatabase(options)
}

class PostgresDatabase implements Database {
  readonly #connections: Connections
  readonly #config: ClientConfig
  readonly #listening = new Set<Listening>()
  #closing: Promise<void> | null = null

  constructor({
    url,
    application = 'bindery',
    connections = 10,
    statementMs = 30_000,
    connectMs = 5_000,
  }: DatabaseOptions) {
    // The server enforces the time limit of a statement. The slightly longer limit of the client covers a server that
    // does not respond.
    this.#config = {
      connectionString: url,
      connectionTimeoutMillis: connectMs,
      statement_timeout: statementMs,
      query_timeout: statementMs + connectMs,
      // A node that stops in the middle of a transaction must not keep its rows locked for longer than other nodes wait
      // for its leases.
      idle_in_transaction_session_timeout: IDLE_MS,
      keepAlive: true,
      application_name: application,
    }
    this.#connections = new Connections(this.#config, connections)
  }

  async query<Row extends object>(text: string, values: readonly Value[] = [], name?: string): Promise<Row[]> {
    try {
      const client = await this.#connections.take()
      return await this.#holding(client, () => this.#run<Row>(client, text, values, name), false)
    } catch (error) {
      throw isAway(error) ? new DatabaseAway(error) : error
    }
  }

  async transact<R>(
    work: (session: Session) => Promise<R>,
    isolation: Isolation = 'SERIALIZABLE',
    { first, again }: TransactionOptions = {},
  ): Promise<R> {
    for (let attempt = 1; ; attempt++) {
      const begin = `BEGIN ISOLATION LEVEL ${isolation}${first ? `; ${first(attempt)}` : ''}`
      try {
        return await this.#once(work, begin)
      } catch (error) {
        if (isAway(error)) throw new DatabaseAway(error)
        if (!(mayRunAgain(error) || again?.(error)) || attempt === ATTEMPTS) throw error
        await wait(Math.random() * backOff(attempt, PAUSE))
      }
    }
  }

  async #once<R>(work: (session: Session) => Promise<R>, begin: string): Promise<R> {
    const client = await this.#connections.take()
    const query: Session['query'] = (text, values = [], name) => this.#run(client, text, values, name)
    return this.#holding(
      client,
      async () => {
        await query(begin)
        const result = await work({ query })
        await query('COMMIT')
        return result
      },
      true,
    )
  }

  /** Runs work with a connection and gives the connection back. A connection in an unknown state is not used again. */
  async #holding<R>(client: PoolClient, work: () => Promise<R>, inTransaction: boolean): Promise<R> {
    let broken: Error | undefined
    let isStale = false
    const breaks = (error: Error) => {
      broken = error
    }
    client.on('error', breaks)
    try {
      return await work()
    } catch (error) {
      // After a failover, a new connection may reach a server that accepts changes.
      isStale = isReadOnly(error)
      if (!inTransaction && isAway(error)) broken ??= asError(error)
      if (inTransaction && broken === undefined)
        await this.#run(client, 'ROLLBACK').catch((failure: Error) => {
          broken ??= failure
        })
      throw error
    } finally {
      client.off('error', breaks)
      if (isStale && broken === undefined) this.#connections.discard(client)
      else this.#connections.release(client, broken)
    }
  }

  async #run<Row extends object>(
    client: PoolClient,
    text: string,
    values: readonly Value[] = [],
    name?: string,
  ): Promise<Row[]> {
    const statement = { text, values: [...values], ...(name ? { name } : {}) }
    return this.#connections.response(client, async () => (await client.query<Row>(statement)).rows)
  }

  async reserve(): Promise<DedicatedConnection> {
    const client = await this.#connections.take().catch((error: unknown) => {
      throw isAway(error) ? new DatabaseAway(error) : error
    })
    let state: 'open' | 'broken' | 'ended' = 'open'
    const breaks = (): void => {
      if (state === 'open') state = 'broken'
    }
    client.on('error', breaks)
    client.on('end', breaks)
    return {
      query: (text, values, name) => this.#run(client, text, values, name),
      isBroken: () => state !== 'open',
      end: () => {
        if (state === 'ended') return
        state = 'ended'
        this.#connections.release(client, new Error('the owner has ended the connection'))
      },
    }
  }

  listen(channel: string, heard: (payload: string) => void): Listening {
    const listener = new Listener(this.#config, channel, heard)
    this.#listening.add(listener)
    return listener
  }

  close(): Promise<void> {
    this.#closing ??= Promise.all([...this.#listening].map((listener) => listener.close())).then(() =>
      this.#connections.end(),
    )
    return this.#closing
  }
}

/** A dedicated connection that listens on one channel and reconnects until it is stopped. */
class Listener implements Listening {
  readonly #stop = new AbortController()
  readonly #running: Promise<void>

  constructor(config: ClientConfig, channel: string, heard: (payload: string) => void) {
    this.#running = this.#run(config, channel, heard)
  }

  async #run(config: ClientConfig, channel: string, heard: (payload: string) => void): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const client = new (postgres().Client)({ ...config, query_timeout: undefined })
      const ended = new Promise<void>((done) => {
        client.once('end', done)
        client.once('error', () => done())
        this.#stop.signal.addEventListener('abort', () => done(), { once: true })
      })
      try {
        await client.connect()
        client.on('notification', ({ payload }) => heard(payload ?? ''))
        await client.query(`LISTEN ${client.escapeIdentifier(channel)}`)
        heard('')
        await ended
      } catch {
        // The database is unreachable. Try again below; callers that need the database get the error from their
        // statements.
      }
      await endSoon(client)
      if (!this.#stop.signal.aborted) await wait(AGAIN_AFTER, undefined, { signal: this.#stop.signal }).catch(() => {})
    }
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }
}
