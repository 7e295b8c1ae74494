/** A pool of connections to PostgreSQL: statements, serializable transactions that are run again, notifications. */
import { setTimeout as wait } from 'node:timers/promises'
import type { ClientConfig, PoolClient } from 'pg'
import { Connections, endSoon } from './connections.js'
import { DatabaseAway, isAway, isReadOnly, mayRunAgain } from './errors.js'
import { postgres } from './library.js'

/** What can be bound to a parameter of a statement. */
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

/** Runs statements: in a transaction, or each by itself. */
export interface Session {
  /** Runs one statement with `$1`, `$2` … bound, and returns its rows. Statements are prepared once per connection under `name`, if it is given. */
  query<Row extends object>(text: string, values?: readonly Value[], name?: string): Promise<Row[]>
}

export interface DatabaseOptions {
  /** `postgresql://user:password@host/database`; a secret, which is never part of an error or a log line. */
  url: string
  /** What the connections are called in the database's list of them. Default: `bindery`. Those of nodes: `applicationOf`. */
  application?: string
  /** Connections at most. Default: 10. */
  connections?: number
  /** How long a statement may take, and a connection may be waited for, in milliseconds. Default: 30,000 and 5,000. */
  statementMs?: number
  connectMs?: number
}

type Isolation = 'SERIALIZABLE' | 'READ COMMITTED'

export interface TransactionOptions {
  /**
   * A statement that is run before the work, such as one that waits for a lock; `attempt` is 1, 2, 3 … What `LOCK TABLE` waits for is seen even
   * by a serializable transaction.
   */
  first?: (attempt: number) => string
  /** Whether an error other than those of meeting transactions means that the work is to be run again. */
  again?: (error: unknown) => boolean
}

/** A connection of its holder alone. */
export interface KeptConnection extends Session {
  /** Whether it has ended, or the last statement left it unusable. */
  isBroken(): boolean
  end(): void
}

/** A connection that waits for notifications. */
export interface Listening {
  close(): Promise<void>
}

export interface Database extends Session {
  /**
   * Runs `work` in one serializable transaction and commits it. If it met another transaction, `work` is run again, a bounded number of times,
   * so it must have no effects other than through its session. Throws `DatabaseAway`: a commit that was under way may have happened.
   * @param isolation `READ COMMITTED` for work that waits for a lock first: each statement then sees what is committed when it begins
   */
  transact<R>(work: (session: Session) => Promise<R>, isolation?: Isolation, options?: TransactionOptions): Promise<R>
  /**
   * Calls `heard` with what is sent by `NOTIFY channel`. Notifications are hints: those sent while the connection was down are lost, and
   * `heard` is called with an empty text whenever it has been made anew.
   */
  listen(channel: string, heard: (payload: string) => void): Listening
  /** Takes a connection out of the pool until it is ended. Throws `DatabaseAway`. */
  keep(): Promise<KeptConnection>
  close(): Promise<void>
}

/** How often a transaction is run before its error is thrown. */
const ATTEMPTS = 20
/** Pauses between attempts, and before a listening connection is made anew, in milliseconds. */
const PAUSE = 5
const MAX_PAUSE = 200
const AGAIN_AFTER = 500
/** How long a transaction may wait for this process between two statements, in milliseconds. */
const IDLE_MS = 3_000

/** Opens the pool; connections are made as they are needed, so this succeeds while the database is away. */
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
    // The time limit of the statement is the server's; that of the client, a little later, is for a server that does not answer at all.
    this.#config = {
      connectionString: url,
      connectionTimeoutMillis: connectMs,
      statement_timeout: statementMs,
      query_timeout: statementMs + connectMs,
      // A node that is stopped in the middle of a transaction must not hold its rows for longer than others wait for its leases.
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
        await wait(Math.random() * Math.min(PAUSE * 2 ** attempt, MAX_PAUSE))
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

  /** Uses a connection and gives it back; one of which it is not known where it stands is not used again. */
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
      // After a failover, a new connection may lead to a server that accepts changes.
      isStale = isReadOnly(error)
      if (!inTransaction && isAway(error)) broken ??= error as Error
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
    const statement = { text, values: values as Value[], ...(name ? { name } : {}) }
    return this.#connections.response(client, async () => (await client.query<Row>(statement)).rows)
  }

  async keep(): Promise<KeptConnection> {
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
        this.#connections.release(client, new Error('its holder has ended it'))
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

/** One connection of its own for one channel, made anew for as long as it is wanted. */
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
        // The database is away: tried again below. Whoever needs it learns that from a statement.
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
