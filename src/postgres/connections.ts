/**
 * The connections of a pool. Detects and ends dead connections that neither side has closed. Otherwise, a statement
 * would wait half a minute for its timeout.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Client, ClientConfig, Pool, PoolClient } from 'pg'
import { isConnectTimeout, isFromDatabase, isTimeout } from './errors.js'
import { postgres } from './library.js'
import { LostSessions, processOf } from './lost-sessions.js'
import { Patience } from './patience.js'
import { endSilentNodes } from './silent-nodes.js'

/**
 * After this time without a response, checks whether the database works on the statement. Repeats the check after each
 * pause. In milliseconds.
 */
const SUSPECT_MS = 1_500
const LOOK_MS = 500
/**
 * Maximum time for this check in milliseconds. If neither it nor anything else has a response by then, the database
 * counts as silent.
 */
const ASK_MS = 2_000
/** Time to read responses that have arrived while this process was busy, in milliseconds. */
const UNREAD_MS = 50
/** Pause between attempts to reach a silent database, in milliseconds. */
const RECOVER_MS = 400
/** Maximum time that a request for a connection waits for a silent database, in milliseconds. */
const PATIENCE_MS = 450
/** Default time to wait for a connection, in milliseconds. */
const CONNECT_MS = 5_000
/** Number of checks that must find a statement idle: its response may be in transit. */
const DENIALS = 2
/** Maximum time for the database to close a connection, in milliseconds. */
const END_MS = 2_000

/** A statement without a response yet, or a request for a connection. */
interface Pending {
  /** Null for a request for a connection. */
  readonly client: PoolClient | null
  readonly since: number
  denials: number
  /** Ends the wait with an error. */
  giveUp(error: Error): void
}

/** The server processes that are working; null if unknown. `silent`: the database does not respond at all. */
type Activity = ReadonlySet<number> | 'silent' | null

const silence = (): Error => new Error('Connection terminated: the database does not respond')

export class Connections {
  readonly #pool: Pool
  readonly #config: ClientConfig
  readonly #lost: LostSessions
  /** Maximum time to wait for a connection, and for one attempt to make it, in milliseconds. */
  readonly #connectMs: number
  readonly #patience: Patience
  // bound: the connections of the pool, and requests and jobs that wait for one
  readonly #pending = new Set<Pending>()
  /** Time of the last response. */
  #heardAt = 0
  /** Set while the database does not respond. Everything that needs it fails quickly until it responds. */
  #silence: { over: Promise<void>; end(): void } | null = null
  #isEnding = false
  /** Time at which each connection was made. */
  // bound: the connections of the pool
  readonly #made = new Map<PoolClient, number>()
  /** Connections older than this are not used again, because one of them was dead. */
  #suspectBefore = 0
  #timer: NodeJS.Timeout | null = null
  #asking = false

  constructor(config: ClientConfig, most: number) {
    this.#config = config
    this.#lost = new LostSessions(config, (client) => void endSoon(client))
    this.#connectMs = config.connectionTimeoutMillis ?? CONNECT_MS
    this.#patience = new Patience(this.#connectMs)
    const { Pool } = postgres()
    this.#pool = new Pool({ ...config, max: most, Client: impatient(this.#patience) })
    // The pool drops an idle connection that breaks. The next statement finds out whether the database is unreachable.
    this.#pool.on('error', () => {})
    this.#pool.on('connect', (client) => this.#made.set(client, performance.now()))
    this.#pool.on('remove', (client) => this.#made.delete(client))
  }

  /** Takes a connection from the pool or makes one. Give it back with `release` of this object. */
  async take(): Promise<PoolClient> {
    for (const until = performance.now() + this.#connectMs; ; ) {
      const client = await this.#connect(until)
      if (client === null) continue
      if ((this.#made.get(client) ?? 0) >= this.#suspectBefore) return client
      client.release(true)
    }
  }

  /** Waits for a connection until `until`. Null: one attempt to connect timed out earlier. */
  async #connect(until: number): Promise<PoolClient | null> {
    const since = performance.now()
    try {
      return await this.#connected()
    } catch (error) {
      if (!isConnectTimeout(error)) throw error
      this.#patience.failed(since)
      if (performance.now() >= until) throw error
      return null
    }
  }

  /** Waits for a connection of the pool. A connection that arrives after the wait ended goes back to the pool. */
  #connected(): Promise<PoolClient> {
    let isGivenUp = false
    const connect = async (): Promise<PoolClient> => {
      const client = await this.#pool.connect()
      if (isGivenUp) client.release()
      return client
    }
    return this.#watched(null, connect).catch((error: unknown) => {
      isGivenUp = true
      throw error
    })
  }

  /** Ends a connection to a server that accepts no changes. Older connections may use the same server. */
  discard(client: PoolClient): void {
    this.#suspectBefore = performance.now()
    client.release(true)
  }

  /** Gives a connection back. A broken one is not used again, and its session in the database is ended. */
  release(client: PoolClient, broken?: Error): void {
    const made = this.#made.get(client)
    if (broken && made !== undefined) this.#lost.add(processOf(client), made)
    client.release(broken)
  }

  /** Waits for the response to a statement on a connection. */
  async response<R>(client: PoolClient, statement: () => Promise<R>): Promise<R> {
    try {
      const rows = await this.#watched(client, statement)
      this.#heardAt = performance.now()
      return rows
    } catch (error) {
      if (isFromDatabase(error)) this.#heardAt = performance.now()
      throw error
    }
  }

  /** Runs work that waits for the database. The work fails as soon as the database is found to be silent. */
  async #watched<R>(client: PoolClient | null, work: () => Promise<R>): Promise<R> {
    // The database may be back. A request for a connection waits for the next attempt to reach it.
    if (this.#silence && client === null)
      await Promise.race([this.#silence.over, wait(PATIENCE_MS, undefined, { ref: false })])
    if (this.#silence) throw silence()
    let giveUp: (error: Error) => void = () => {}
    const givenUp = new Promise<never>((_done, failed) => (giveUp = failed))
    givenUp.catch(() => {})
    const pending: Pending = { client, since: performance.now(), denials: 0, giveUp }
    this.#pending.add(pending)
    this.#timer ??= setInterval(() => void this.#look(), LOOK_MS).unref()
    try {
      return await Promise.race([work(), givenUp])
    } finally {
      this.#pending.delete(pending)
      if (this.#pending.size === 0 && this.#timer) {
        clearInterval(this.#timer)
        this.#timer = null
      }
    }
  }

  /** Ends the connections with a waiting statement that the database does not know. */
  async #look(): Promise<void> {
    const late = [...this.#pending].filter(({ since }) => performance.now() - since > SUSPECT_MS)
    if (late.length === 0 || this.#asking) return
    this.#asking = true
    try {
      const active = await this.#activeOf(late.flatMap(({ client }) => (client ? [processOf(client)] : [])))
      if (active === 'silent') this.#fallSilent()
      if (active === null || active === 'silent') return
      for (const one of late) {
        if (one.client === null) continue
        one.denials = active.has(processOf(one.client)) ? 0 : one.denials + 1
        if (one.denials < DENIALS || !this.#pending.has(one)) continue
        this.#suspectBefore = performance.now()
        cut(one.client, 'the database does not work on its statement')
      }
    } finally {
      this.#asking = false
    }
  }

  /** Fails everything that waits for the database, until it responds again. */
  #fallSilent(): void {
    if (this.#silence) return
    let end = (): void => {}
    const over = new Promise<void>((done) => (end = done))
    this.#silence = { over, end }
    for (const { client, giveUp } of [...this.#pending]) {
      if (client) cut(client, 'the database does not respond')
      giveUp(silence())
    }
    void this.#recover()
  }

  /**
   * Tries to reach the database. An attempt that started during the outage may never end, so new attempts do not wait
   * for it.
   */
  async #recover(): Promise<void> {
    while (this.#silence && !this.#isEnding) {
      void this.#reach()
      await wait(RECOVER_MS, undefined, { ref: false })
    }
  }

  async #reach(): Promise<void> {
    const client = new (postgres().Client)({
      ...this.#config,
      connectionTimeoutMillis: this.#connectMs,
      query_timeout: this.#connectMs,
    })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query('SELECT 1')
      this.#endSilence()
    } catch (error) {
      // A server that rejects a connection does respond. Statements then report the reason.
      if (!isTimeout(error)) this.#endSilence()
    }
    void endSoon(client)
  }

  #endSilence(): void {
    this.#silence?.end()
    this.#silence = null
  }

  /**
   * Returns the server processes that are working, as seen by a new connection. Null if unknown: the database is
   * unreachable, or a proxy in between changes the process numbers.
   */
  async #activeOf(processes: readonly number[]): Promise<Activity> {
    const askedAt = performance.now()
    const client = new (postgres().Client)({ ...this.#config, connectionTimeoutMillis: ASK_MS, query_timeout: ASK_MS })
    client.on('error', () => {})
    try {
      await client.connect()
      const text =
        "SELECT pg_backend_pid() AS own, ARRAY(SELECT pid FROM pg_stat_activity WHERE state = 'active' AND pid = ANY($1)) AS active"
      const { rows } = await client.query<{ own: number; active: number[] }>(text, [processes])
      // A slow statement may be waiting for a suspended node.
      await endSilentNodes((statement) => client.query(statement))
      return rows[0] && rows[0].own === processOf(client) ? new Set(rows[0].active) : null
    } catch (error) {
      if (!isTimeout(error)) return null
      await wait(UNREAD_MS, undefined, { ref: false })
      return this.#heardAt < askedAt ? 'silent' : null
    } finally {
      void endSoon(client)
    }
  }

  /** Ends all connections after each was given back. */
  async end(): Promise<void> {
    this.#isEnding = true
    this.#lost.close()
    const late = setTimeout(() => {
      for (const client of this.#made.keys()) cut(client, LATE)
    }, END_MS)
    await this.#pool.end()
    clearTimeout(late)
  }
}

/**
 * Returns a client class that limits each connection attempt to the current timeout of `patience`, and records the
 * duration.
 */
function impatient(patience: Patience): typeof Client {
  const { Client } = postgres()
  return class extends Client {
    constructor(config?: string | ClientConfig) {
      const since = performance.now()
      super({
        ...(typeof config === 'string' ? { connectionString: config } : config),
        connectionTimeoutMillis: patience.forNext(),
      })
      this.once('connect', () => patience.succeeded(since))
    }
  }
}

const LATE = 'the database does not close the connection'

/** Ends a connection, even a dead one. Never throws. */
export async function endSoon(client: Client): Promise<void> {
  const late = setTimeout(() => cut(client, LATE), END_MS)
  await client.end().catch(() => {})
  clearTimeout(late)
}

/** Destroys a connection. Its statement fails with an error that counts as "the database is unreachable". */
function cut(client: object, why: string): void {
  const { stream } = (client as { connection: { stream: { destroy(error: Error): void } } }).connection
  stream.destroy(new Error(`Connection terminated: ${why}`))
}
