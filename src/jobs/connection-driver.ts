/**
 * Drives connections: polls repositories, exports changes, and queues due runs. Its state is in memory and restored
 * after a start.
 */
import { activeConnections, groupOf, isPolled, queueDueExport, queueDueRun } from '../domain/connections/due.js'
import { pollGroup } from '../domain/connections/poll.js'
import type { App } from '../domain/context/app.js'
import { MAIN } from '../domain/context/refs.js'
import type { RefName } from '../kernel/ids.js'
import { backOff } from '../kernel/back-off.js'
import { Passes } from '../kernel/passes.js'
import { Slots } from '../kernel/slots.js'
import type { ConnectionDoc } from '../model/index.js'
import { POLLS } from './queues.js'

/** Hints for one repository within this time cause a single poll. */
const MIN_GAP_MS = 2_000
const MAX_BACK_OFF_MS = 60 * 60 * 1000
/** After a start, the first polls are spread over this time. */
const FIRST_SPREAD_MS = 60_000
/** Maximum wait for the export of a space that is edited continuously, as a multiple of the quiet time. */
const MAX_QUIET_TIMES = 6
/** Time after a failed pass until the next one, in milliseconds. */
const REST_MS = 60_000

export interface ConnectionDriver {
  /** Reports that branches of a space moved. May be called in a transaction. */
  moved(space: string, refs: readonly RefName[]): void
  /** Reports that work may be due. With a hint, the repository of that connection is polled soon. */
  wake(hint?: { connection: string }): void
  /** Resolves when no pass and no poll is running. */
  idle(): Promise<void>
  /** Whether a pass or poll is running or pending. */
  readonly isBusy: boolean
  /** Starts nothing more, aborts running polls, and resolves when they have ended. */
  stop(): Promise<void>
}

/** The next poll of a repository, and the number of consecutive failures. */
interface Watch {
  nextAt: number
  failures: number
  lastAt: number
  hinted: boolean
  running: boolean
}

/** A repository that is due for a poll, through a connection of the organization. */
interface DuePoll {
  organization: string
  /** The time from which the poll is due. */
  createdAt: string
  watch: Watch
  group: readonly ConnectionDoc[]
}

/** Starts the driver. The first pass checks everything, because changes during the downtime are unknown. */
export function startConnections(app: App): ConnectionDriver {
  const driver = new Driver(app)
  driver.wake()
  return {
    moved: (space, refs) => driver.moved(space, refs),
    wake: (hint) => driver.wake(hint),
    idle: () => driver.idle(),
    get isBusy() {
      return driver.isBusy
    },
    stop: () => driver.stop(),
  }
}

class Driver {
  // bound: repositories of active connections
  readonly #watches = new Map<string, Watch>()
  /** The first and last move of a space's main since the last pass. */
  // bound: spaces whose main moved within the quiet time
  #moved = new Map<string, { first: number; last: number }>()
  /** Connections whose export waits for the end of a conflict. An import may end it without a move of main. */
  // bound: connections
  #held = new Set<string>()
  /** Connections named by hints. */
  // bound: connections
  #hints = new Set<string>()
  /** Whether the next pass is the first, which checks all spaces. */
  #first = true
  // bound: the slots, and stalled polls
  readonly #polls = new Set<Promise<void>>()
  readonly #slots = new Slots(POLLS, () => this.wake())
  readonly #stop = new AbortController()
  readonly #passes: Passes

  constructor(readonly app: App) {
    this.#passes = new Passes({
      pass: () => this.#look(),
      failed: (error) =>
        app.log.error({ error }, 'The connections could not be checked. The next attempt is in a minute.'),
      restMs: REST_MS,
    })
  }

  moved(space: string, refs: readonly RefName[]): void {
    if (!refs.includes(MAIN) || this.#stop.signal.aborted) return
    const now = this.#now()
    this.#moved.set(space, { first: this.#moved.get(space)?.first ?? now, last: now })
    this.#passes.wakeIn(this.app.settings.connections.quietMs)
  }

  wake(hint?: { connection: string }): void {
    if (hint) this.#hints.add(hint.connection)
    this.#passes.wake()
  }

  get isBusy(): boolean {
    return this.#passes.isBusy || this.#polls.size > 0
  }

  async idle(): Promise<void> {
    while (this.isBusy) {
      await this.#passes.idle()
      await Promise.all(this.#polls)
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#passes.stop()
    await Promise.all(this.#polls)
  }

  #now = (): number => this.app.clock.now().getTime()

  /** Does the due work. Returns the milliseconds until more is due, or null if nothing is. */
  async #look(): Promise<number | null> {
    const hints = this.#hints
    this.#hints = new Set()
    const active = await activeConnections(this.app)
    const due: number[] = []
    for (const one of active) due.push((await queueDueRun(this.app, one)) ?? Number.POSITIVE_INFINITY)
    due.push(await this.#export(active, hints), this.#watch(active, hints))
    const next = Math.min(...due, Number.POSITIVE_INFINITY)
    return Number.isFinite(next) ? next - this.#now() : null
  }

  /** Queues the exports of spaces whose quiet time is over. Returns the time at which the next one is due. */
  async #export(active: readonly ConnectionDoc[], hints: ReadonlySet<string>): Promise<number> {
    const { quietMs } = this.app.settings.connections
    const now = this.#now()
    const moved = this.#moved
    let next = Number.POSITIVE_INFINITY
    const ready = new Set<string>()
    for (const [space, { first, last }] of moved) {
      const at = Math.min(last + quietMs, first + MAX_QUIET_TIMES * quietMs)
      if (at <= now) ready.add(space)
      else next = Math.min(next, at)
    }
    for (const space of ready) moved.delete(space)
    const all = this.#first
    this.#first = false
    const held = new Set<string>()
    for (const one of active) {
      const { id, space, failure } = one
      const isFree = this.#held.has(id) && failure?.cause !== 'conflict'
      const isHeld =
        all || isFree || ready.has(space) || hints.has(id)
          ? (await queueDueExport(this.app, one)) === 'held'
          : this.#held.has(id)
      if (isHeld) held.add(id)
    }
    this.#held = held
    return next
  }

  /** Starts the polls that are due. Returns the time at which the next one is due. */
  #watch(active: readonly ConnectionDoc[], hints: ReadonlySet<string>): number {
    const groups = new Map<string, ConnectionDoc[]>()
    for (const one of active.filter(isPolled)) {
      const name = groupOf(one)
      groups.set(name, [...(groups.get(name) ?? []), one])
    }
    for (const name of this.#watches.keys()) if (!groups.has(name)) this.#watches.delete(name)
    let next = Number.POSITIVE_INFINITY
    const due: DuePoll[] = []
    for (const [name, group] of groups) {
      const watch = this.#watches.get(name) ?? this.#newWatch()
      this.#watches.set(name, watch)
      if (group.some(({ id }) => hints.has(id))) {
        watch.hinted = true
        watch.nextAt = Math.min(watch.nextAt, Math.max(this.#now(), watch.lastAt + MIN_GAP_MS))
      }
      if (watch.running) continue
      const { organization = '' } = group[0] ?? {}
      if (watch.nextAt <= this.#now())
        due.push({ organization, createdAt: new Date(watch.nextAt).toISOString(), watch, group })
      else next = Math.min(next, watch.nextAt)
    }
    // Polls without a slot stay due. The end of a running poll triggers the next pass.
    for (let one = this.#slots.next(due); one; one = this.#slots.next(due)) {
      due.splice(due.indexOf(one), 1)
      this.#poll(one)
    }
    return next
  }

  #newWatch(): Watch {
    const { pollMs } = this.app.settings.connections
    const wait = Math.random() * Math.min(FIRST_SPREAD_MS, pollMs)
    return { nextAt: this.#now() + wait, failures: 0, lastAt: Number.NEGATIVE_INFINITY, hinted: false, running: false }
  }

  /** Polls in the background. The end of a poll triggers a pass. */
  #poll({ organization, watch, group }: DuePoll): void {
    const trigger = watch.hinted ? 'webhook' : 'poll'
    Object.assign(watch, { running: true, hinted: false })
    const poll = this.#slots
      .run({ organization }, () => pollGroup(this.app, group, trigger, this.#stop.signal))
      .catch((error: unknown) => {
        this.app.log.error({ error, connection: group[0]?.id }, 'A repository could not be polled.')
        return false
      })
      .then((isWell) => {
        const now = this.#now()
        watch.failures = isWell ? 0 : watch.failures + 1
        Object.assign(watch, { running: false, lastAt: now, nextAt: this.#nextPoll(watch.failures, now) })
        this.#polls.delete(poll)
        this.wake()
      })
    this.#polls.add(poll)
  }

  /** Returns the time of the next poll. The interval grows with failures and is randomized. */
  #nextPoll(failures: number, now: number): number {
    const { pollMs } = this.app.settings.connections
    if (pollMs === 0 && failures === 0) return Number.POSITIVE_INFINITY
    const every = Math.max(pollMs, MIN_GAP_MS)
    const wait = Math.max(every, backOff(failures + 1, { firstMs: every, maxMs: MAX_BACK_OFF_MS }))
    return now + wait * (0.9 + 0.2 * Math.random())
  }
}
