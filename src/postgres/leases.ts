/**
 * Leases: locks that nodes have for a time and extend while they use them. Who was taken for dead finds that its number is no longer the
 * current one: in the transaction that writes (`checkFence`), which is what makes it safe, and by `signal`, which only saves work.
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
  unheld,
  want,
} from './lease-rows.js'
import { migrate } from './migrate.js'
import { endSilentNodes } from './silent-nodes.js'

/** Another node has taken the lease over, since this one was silent for too long. Nothing was written under it after that. */
export class LeaseLost extends ServiceError {
  constructor(name: string) {
    super(
      'unavailable',
      'This node of the service was interrupted, and another one went on. Nothing was changed by this request after that. Try again.',
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
  /** Aborted once the lease is known to be lost, or was given back. */
  readonly signal: AbortSignal
}

export interface LeaseOptions {
  /** This process and no other, also not the one before it on this machine. */
  holder: string
  /** How long a lease lasts that is not extended, which it is three times in this time. Default: 2,500. */
  leaseMs?: number
}

export interface Leases {
  /**
   * Waits until the lease is free, holds it while `work` runs, and returns what that returns. Nobody else has it meanwhile, here or on other
   * nodes, unless this process is silent for longer than the lease lasts. Throws `DatabaseAway` if it cannot be taken, 503 after `close`.
   */
  run<T>(name: string, work: (lease: FencedLease) => Promise<T>): Promise<T>
  /** The same, but returns null at once if somebody has the lease. */
  tryRun<T>(name: string, work: (lease: FencedLease) => Promise<T>): Promise<T | null>
  /**
   * Resolves when no other node has that lease, or one below that prefix, by a holding from before this call. Those that last are ended: a
   * transaction that checks their fence later is refused.
   */
  othersEnded(which: { name: string } | { prefix: string }): Promise<void>
  /** Those of some names whose lease nobody has. */
  unheld(names: readonly string[]): Promise<Set<string>>
  /** The names below a prefix that other nodes have, and those whose holder died, or is silent, without a release. */
  below(prefix: string): Promise<{ held: string[]; abandoned: string[] }>
  /** Deletes leases whose time is over. */
  forget(names: readonly string[]): Promise<void>
  /** Deletes what is left of leases that are no longer used. */
  sweep(): Promise<void>
  /** Ends those that wait, and gives back what is still held. */
  close(): Promise<void>
}

/** Spaces of a node that died are written again by others after so long. */
const LEASE_MS = 2_500
/** How long a released lease is kept for the one who waits for it. */
const KEPT_MS = 500
/** How often those who wait look, whether or not they were told of a release: at random up to this, in milliseconds. */
const LOOK_MS = 300
/** After so long, and as seldom, those who wait look whether a node sleeps in the middle of transactions, in milliseconds. */
const SLEEP_MS = 750
/** The first pause before holdings are looked at again; each is twice the one before. */
const MIN_PAUSE_MS = 10

/** Makes the table if it is missing, and opens its leases. Throws `DatabaseAway`. */
export async function openLeases(database: Database, options: LeaseOptions): Promise<Leases> {
  await migrate(database, ROOM, steps)
  return new DatabaseLeases(database, options)
}

/**
 * In the caller's transaction: throws `LeaseLost` unless `fence` is the last holding of the lease. It stays so until the transaction ends. A
 * lease whose time is over, but which nobody has taken, counts as held.
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
  /** Within the process one waits for the other here, and only the first of them asks the database. */
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

  /** Whoever waits is on both lists, here and in the row, before they look, so that they miss no release. */
  async #await(name: string): Promise<Holding> {
    for (const since = performance.now(); ; ) {
      if (performance.now() - since > SLEEP_MS) await this.#endSilent()
      const told = this.#told(name)
      try {
        await want(this.#database, name, this.#holder)
        const holding = await this.#take(name)
        if (holding) return holding
        await told.heard
      } finally {
        told.stop()
      }
    }
  }

  /** The row of the lease may be locked by a transaction of a node that sleeps, even when the time of its holder is over. */
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

  /** A release that fails costs time alone: the lease ends by itself. */
  async #release(holding: Holding): Promise<void> {
    this.#held.delete(holding)
    holding.end('given back')
    if (this.#held.size === 0 && this.#beat) {
      clearInterval(this.#beat)
      this.#beat = null
    }
    await release(this.#database, holding.fence, KEPT_MS).catch(() => undefined)
  }

  /** While the database is away nothing is extended, and nothing is taken over either. */
  async #extend(): Promise<void> {
    const held = [...this.#held]
    const fences = held.map(({ fence }) => fence)
    const current = await extend(this.#database, fences, this.#leaseMs).catch(() => null)
    if (!current) return
    for (const holding of held) if (!current.has(holding.fence.fence)) holding.end('lost')
  }

  /** Resolves `heard` when a release of the lease is told, or after a while anyway. */
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
    // Also those whose time is over: nobody has taken them, so their holder could still write.
    if (holdings.length > 0) await endAll(this.#database, holdings)
  }

  unheld(names: readonly string[]): Promise<Set<string>> {
    return unheld(this.#database, names)
  }

  below(prefix: string): Promise<{ held: string[]; abandoned: string[] }> {
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

/** A lease as its holder has it. */
class Holding implements FencedLease {
  readonly #ended = new AbortController()
  #why: 'given back' | 'lost' | null = null

  constructor(readonly fence: Fence) {}

  get name(): string {
    return this.fence.name
  }

  get signal(): AbortSignal {
    return this.#ended.signal
  }

  assertHeld(): void {
    if (this.#why === 'lost') throw new LeaseLost(this.name)
    if (this.#why === 'given back') throw new Error(`The lease ${this.name} was given back before it was used.`)
  }

  end(why: 'given back' | 'lost'): void {
    this.#why ??= why
    this.#ended.abort()
  }
}
