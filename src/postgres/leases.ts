/**
 * Leases: locks with an expiry that nodes extend while they use them. A node that was wrongly considered dead no longer
 * has the current number. The transaction that writes verifies this (`checkFence`), which makes leases safe. The
 * `signal` only saves work.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { ServiceError } from '../kernel/errors.js'
import { KeyedMutex } from '../kernel/keyed-mutex.js'
import type { Fence, Lease } from '../kernel/lease.js'
import type { Database, Session } from './database.js'
import {
  CHANNEL,
  endAll,
  extend,
  forget,
  holdingsOfOthers,
  isCurrent,
  namesBelow,
  ROOM,
  release,
  steps,
  stillHeld,
  sweep,
  take,
  findFree,
  registerWaiter,
} from './lease-rows.js'
import { migrate } from './migrate.js'
import { endSilentNodes } from './silent-nodes.js'

/**
 * Another node took over the lease because this node was silent for too long. Nothing was written under the lease after
 * that.
 */
export class LeaseLost extends ServiceError {
  constructor(name: string) {
    super(
      'unavailable',
      'This server was interrupted and another one took over. This request changed nothing after that. Try again.',
      {
        cause: new Error(`the lease ${name} is held by another node`),
        headers: { 'Retry-After': '1' },
      },
    )
    this.name = 'LeaseLost'
  }
}

export interface FencedLease extends Lease {
  readonly name: string
  readonly fence: Fence
  /** Aborted once the lease is known to be lost, or was released. */
  readonly signal: AbortSignal
}

export interface LeaseOptions {
  /** A name that only this process has. An earlier process on the same machine must have another name. */
  holder: string
  /**
   * Duration of a lease without extension, in milliseconds. It is extended three times in this time. Default: 2,500.
   */
  leaseMs?: number
}

export interface Leases {
  /**
   * Waits until the lease is free, holds it while `work` runs, and returns the result of `work`. No other request on
   * this or another node has the lease in this time, unless this process is silent for longer than the lease lasts.
   * Throws `DatabaseAway` if the lease cannot be taken, 503 after `close`.
   */
  run<T>(name: string, work: (lease: FencedLease) => Promise<T>): Promise<T>
  /** Like `run`, but returns null at once if another holder has the lease. */
  tryRun<T>(name: string, work: (lease: FencedLease) => Promise<T>): Promise<T | null>
  /**
   * Resolves when no other node has the lease, or a lease below the prefix, by a holding from before this call. Ends
   * the holdings that remain: a transaction that checks their fencing token later is rejected.
   */
  othersEnded(which: { name: string } | { prefix: string }): Promise<void>
  /** Returns the names whose lease is free. */
  findFree(names: readonly string[]): Promise<Set<string>>
  /**
   * Returns the names below a prefix that other nodes hold, and those whose holder died or is silent without a release.
   */
  listBelow(prefix: string): Promise<{ held: string[]; abandoned: string[] }>
  /** Deletes expired leases. */
  forget(names: readonly string[]): Promise<void>
  /** Deletes old rows of unused leases. */
  sweep(): Promise<void>
  /** Rejects waiting requests and releases the leases that are still held. */
  close(): Promise<void>
}

/** After this time, other nodes can write to the spaces of a node that died, in milliseconds. */
const LEASE_MS = 2_500
/** Time for which a released lease is reserved for its waiter, in milliseconds. */
const KEPT_MS = 500
/** Maximum random pause between two attempts of a waiter, if no release is announced, in milliseconds. */
const LOOK_MS = 300
/**
 * Time after which waiters check for a node that is suspended in the middle of a transaction, and the pause between
 * checks, in milliseconds.
 */
const SLEEP_MS = 750
/** The first pause before holdings are checked again, in milliseconds. Each pause is twice the previous one. */
const MIN_PAUSE_MS = 10

/** Creates the table if it is missing, and opens its leases. Throws `DatabaseAway`. */
export async function openLeases(database: Database, options: LeaseOptions): Promise<Leases> {
  await migrate(database, ROOM, steps)
  return new DatabaseLeases(database, options)
}

/**
 * Verifies a lease in the caller's transaction: throws `LeaseLost` unless `fence` is its latest holding. No one can
 * take the lease before the transaction ends. An expired lease that no one has taken still counts as held.
 */
export async function checkFence(session: Session, fence: Fence): Promise<void> {
  if (!(await isCurrent(session, fence))) throw new LeaseLost(fence.name)
}

class DatabaseLeases implements Leases {
  readonly #database: Database
  readonly #holder: string
  readonly #leaseMs: number
  // bound: requests and jobs in progress
  readonly #held = new Set<Holding>()
  // bound: requests and jobs in progress
  readonly #waiting = new Map<string, () => void>()
  /** Serializes requests within the process, so that only the first one queries the database. */
  readonly #here = new KeyedMutex()
  readonly #listening: { close(): Promise<void> }
  #beat: NodeJS.Timeout | null = null
  #closed = false
  #lookedAt = 0

  constructor(database: Database, { holder, leaseMs = LEASE_MS }: LeaseOptions) {
    this.#database = database
    this.#holder = holder
    this.#leaseMs = leaseMs
    this.#listening = database.listen(CHANNEL, (name) => this.#wake(name))
  }

  run<T>(name: string, work: (lease: FencedLease) => Promise<T>): Promise<T> {
    return this.#here.run(name, async () => this.#use((await this.#take(name)) ?? (await this.#await(name)), work))
  }

  async tryRun<T>(name: string, work: (lease: FencedLease) => Promise<T>): Promise<T | null> {
    if (this.#here.has(name)) return null
    return this.#here.run(name, async () => {
      const holding = await this.#take(name)
      return holding && this.#use(holding, work)
    })
  }

  /** Waits for a lease. The waiter registers here and in the row before each attempt, so that it misses no release. */
  async #await(name: string): Promise<Holding> {
    for (const since = performance.now(); ; ) {
      if (performance.now() - since > SLEEP_MS) await this.#endSilent()
      const told = this.#told(name)
      try {
        await registerWaiter(this.#database, name, this.#holder)
        const holding = await this.#take(name)
        if (holding) return holding
        await told.heard
      } finally {
        told.stop()
      }
    }
  }

  /** Ends transactions of suspended nodes: they may lock the row of the lease even after it expired. */
  async #endSilent(): Promise<void> {
    if (performance.now() - this.#lookedAt < SLEEP_MS) return
    this.#lookedAt = performance.now()
    await endSilentNodes((text) => this.#database.query(text))
  }

  async #take(name: string): Promise<Holding | null> {
    if (this.#closed) throw new ServiceError('unavailable', 'The service is shutting down. Try again in a few seconds.')
    const number = await take(this.#database, name, this.#holder, this.#leaseMs)
    if (number === null) return null
    const holding = new Holding({ name, fence: number })
    this.#held.add(holding)
    this.#beat ??= setInterval(() => void this.#extend(), this.#leaseMs / 3).unref()
    return holding
  }

  async #use<T>(holding: Holding, work: (lease: FencedLease) => Promise<T>): Promise<T> {
    try {
      return await work(holding)
    } finally {
      await this.#release(holding)
    }
  }

  /** Releases a lease. A failure only costs time, because the lease expires. */
  async #release(holding: Holding): Promise<void> {
    this.#held.delete(holding)
    holding.end('released')
    if (this.#held.size === 0 && this.#beat) {
      clearInterval(this.#beat)
      this.#beat = null
    }
    await release(this.#database, holding.fence, KEPT_MS).catch(() => undefined)
  }

  /** Extends all leases. While the database is unreachable, no lease is extended and none is taken over either. */
  async #extend(): Promise<void> {
    const held = [...this.#held]
    const fences = held.map(({ fence }) => fence)
    const current = await extend(this.#database, fences, this.#leaseMs).catch(() => null)
    if (!current) return
    for (const holding of held) if (!current.has(holding.fence.fence)) holding.end('lost')
  }

  /** Resolves `heard` when a release of the lease is announced, or after a pause. */
  #told(name: string): { heard: Promise<void>; stop: () => void } {
    let stop = () => {}
    const heard = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.random() * LOOK_MS)
      stop = () => {
        clearTimeout(timer)
        this.#waiting.delete(name)
        resolve()
      }
    })
    this.#waiting.set(name, stop)
    return { heard, stop }
  }

  #wake(name: string): void {
    for (const one of name === '' ? [...this.#waiting.keys()] : [name]) this.#waiting.get(one)?.()
  }

  async othersEnded(which: { name: string } | { prefix: string }): Promise<void> {
    const holdings = await holdingsOfOthers(this.#database, which, this.#holder)
    let open = holdings
    for (let pause = MIN_PAUSE_MS, left = this.#leaseMs; open.length > 0 && left > 0; left -= pause, pause *= 2) {
      await wait(pause)
      open = await stillHeld(this.#database, open)
    }
    // Expired holdings as well: no one took the leases, so their holders could still write.
    if (holdings.length > 0) await endAll(this.#database, holdings)
  }

  findFree(names: readonly string[]): Promise<Set<string>> {
    return findFree(this.#database, names)
  }

  listBelow(prefix: string): Promise<{ held: string[]; abandoned: string[] }> {
    return namesBelow(this.#database, prefix, this.#holder)
  }

  forget(names: readonly string[]): Promise<void> {
    return forget(this.#database, names)
  }

  sweep(): Promise<void> {
    return sweep(this.#database)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#wake('')
    await Promise.all([...this.#held].map((holding) => this.#release(holding)))
    await this.#listening.close()
  }
}

/** A lease from the perspective of its holder. */
class Holding implements FencedLease {
  readonly #ended = new AbortController()
  #why: 'released' | 'lost' | null = null

  constructor(readonly fence: Fence) {}

  get name(): string {
    return this.fence.name
  }

  get signal(): AbortSignal {
    return this.#ended.signal
  }

  assertHeld(): void {
    if (this.#why === 'lost') throw new LeaseLost(this.name)
    if (this.#why === 'released') throw new Error(`The lease ${this.name} was released before it was used.`)
  }

  end(why: 'released' | 'lost'): void {
    this.#why ??= why
    this.#ended.abort()
  }
}
