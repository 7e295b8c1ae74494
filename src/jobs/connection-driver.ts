/**
 * Drives connections: polls repositories, exports changes, and queues due runs. Its state is in memory and restored
 * after a start.
 */
import { activeConnections, findActive, isActive, queueDueExport, queueDueRun } from '../domain/connections/due.js'
import { pollGroup } from '../domain/connections/poll.js'
import type { App } from '../domain/context/app.js'
import { eachInOrder } from '../domain/context/in-order.js'
import { MAIN } from '../domain/context/refs.js'
import type { RefName } from '../kernel/ids.js'
import { backOff } from '../kernel/back-off.js'
import { Passes } from '../kernel/passes.js'
import { Slots } from '../kernel/slots.js'
import { type ConnectionDoc, connections, isPolled, pollGroupOf, type RunTrigger } from '../model/index.js'
import { POLLS } from './queues.js'

/** Hints for one repository within this time cause a single poll. */
const MIN_GAP_MS = 2_000
const MAX_BACK_OFF_MS = 60 * 60 * 1000
/** After a start, the first polls are spread over this time. */
const FIRST_SPREAD_MS = 60_000
/** Maximum wait for the export of a space that is edited continuously, as a multiple of the quiet time. */
const MAX_QUIET_TIMES = 6
/**
 * Interval between two reads of all connections, in milliseconds. In between, a pass only reads those with due work. A
 * read of all finds the changes whose hint was lost.
 */
const SCAN_MS = 5 * 60_000
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

/** The next poll of the repository of a poll group, and the number of consecutive failures. */
interface Watch {
  readonly group: string
  /** The organization of one of its connections. */
  readonly organization: string
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
  readonly #moved = new Map<string, { first: number; last: number }>()
  /** Connections whose export waits for the end of a conflict. An import may end it without a move of main. */
  // bound: connections
  #held = new Set<string>()
  /** Connections named by hints. */
  // bound: connections
  #hints = new Set<string>()
  /** Whether no pass has checked all spaces. */
  #isFirst = true
  /** Time at which all connections are read again. */
  #scanAt = Number.NEGATIVE_INFINITY
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
    const retryAt = await this.#queueRuns()
    if (this.#scanAt <= this.#now()) await this.#scan()
    const next = Math.min(
      retryAt,
      await this.#export(hints),
      await this.#watch(hints),
      this.#watches.size === 0 ? Number.POSITIVE_INFINITY : this.#scanAt,
    )
    return Number.isFinite(next) ? next - this.#now() : null
  }

  /** Reads all connections, for their repositories. The first time, also checks the exports of all of them. */
  async #scan(): Promise<void> {
    const isFirst = this.#isFirst
    this.#isFirst = false
    // bound: repositories of active connections
    const found = new Set<string>()
    for await (const one of eachInOrder(this.app.store, connections, 'active')) {
      if (isPolled(one)) found.add(this.#watchOf(one).group)
      if (!isFirst || !(await isActive(this.app, one))) continue
      if ((await queueDueExport(this.app, one)) === 'held') this.#held.add(one.id)
    }
    for (const group of this.#watches.keys()) if (!found.has(group)) this.#watches.delete(group)
    this.#scanAt = this.#now() + SCAN_MS
  }

  /** Queues due runs, and watches the repositories of new connections. Returns the time of the next retry. */
  async #queueRuns(): Promise<number> {
    for await (const one of activeConnections(this.app, 'due', 'conflict')) await queueDueRun(this.app, one)
    let next = Number.POSITIVE_INFINITY
    for await (const one of activeConnections(this.app, 'due', 'due')) {
      if (isPolled(one)) this.#watchOf(one)
      const retryAt = await queueDueRun(this.app, one)
      next = Math.min(next, retryAt ?? next)
      // Connections without a run come first, then the others in the order of their retry.
      if (retryAt !== null && one.lastRun !== undefined) break
    }
    return next
  }

  /** Queues the exports of spaces whose quiet time is over. Returns the time at which the next one is due. */
  async #export(hints: ReadonlySet<string>): Promise<number> {
    const { quietMs } = this.app.settings.connections
    const now = this.#now()
    let next = Number.POSITIVE_INFINITY
    const ready = new Set(hints)
    for (const [space, { first, last }] of this.#moved) {
      const at = Math.min(last + quietMs, first + MAX_QUIET_TIMES * quietMs)
      if (at > now) next = Math.min(next, at)
      else {
        this.#moved.delete(space)
        for await (const { id } of activeConnections(this.app, 'ofSpace', space)) ready.add(id)
      }
    }
    const held = new Set<string>()
    for (const id of new Set([...this.#held, ...ready])) {
      const one = await findActive(this.app, id)
      if (!one) continue
      const isWaiting = this.#held.has(id) && one.failure?.cause === 'conflict' && !ready.has(id)
      if (isWaiting || (await queueDueExport(this.app, one)) === 'held') held.add(id)
    }
    this.#held = held
    return next
  }

  /** Starts the polls that are due. Returns the time at which the next one is due. */
  async #watch(hints: ReadonlySet<string>): Promise<number> {
    for (const id of hints) {
      const one = await findActive(this.app, id)
      if (!one || !isPolled(one)) continue
      const watch = this.#watchOf(one)
      watch.hinted = true
      watch.nextAt = Math.min(watch.nextAt, Math.max(this.#now(), watch.lastAt + MIN_GAP_MS))
    }
    let next = Number.POSITIVE_INFINITY
    const due: DuePoll[] = []
    for (const watch of this.#watches.values()) {
      if (watch.running) continue
      const { organization, nextAt } = watch
      if (nextAt <= this.#now()) due.push({ organization, createdAt: new Date(nextAt).toISOString(), watch })
      else next = Math.min(next, nextAt)
    }
    // Polls without a slot stay due. The end of a running poll triggers the next pass.
    for (let one = this.#slots.next(due); one; one = this.#slots.next(due)) {
      due.splice(due.indexOf(one), 1)
      this.#poll(one)
    }
    return next
  }

  /** Returns the watch of a connection's repository. Adds one for a repository that has none. */
  #watchOf(connection: ConnectionDoc): Watch {
    const group = pollGroupOf(connection)
    const known = this.#watches.get(group)
    if (known) return known
    const { pollMs } = this.app.settings.connections
    const nextAt = this.#now() + Math.random() * Math.min(FIRST_SPREAD_MS, pollMs)
    const { organization } = connection
    const watch = {
      group,
      organization,
      nextAt,
      failures: 0,
      lastAt: Number.NEGATIVE_INFINITY,
      hinted: false,
      running: false,
    }
    this.#watches.set(group, watch)
    return watch
  }

  /** Polls in the background. The end of a poll triggers a pass. */
  #poll({ organization, watch }: DuePoll): void {
    const trigger = watch.hinted ? 'webhook' : 'poll'
    Object.assign(watch, { running: true, hinted: false })
    const poll = this.#slots
      .run({ organization }, () => this.#pollGroup(watch.group, trigger))
      .then((isWell) => {
        const now = this.#now()
        watch.failures = isWell ? 0 : watch.failures + 1
        Object.assign(watch, { running: false, lastAt: now, nextAt: this.#nextPoll(watch.failures, now) })
        this.#polls.delete(poll)
        this.wake()
      })
    this.#polls.add(poll)
  }

  /** Polls the repository of a group, unless the group has no connection now. Returns false if the poll failed. */
  async #pollGroup(name: string, trigger: RunTrigger): Promise<boolean> {
    const group: ConnectionDoc[] = []
    try {
      for await (const one of activeConnections(this.app, 'polled', name)) group.push(one)
      return group.length === 0 || (await pollGroup(this.app, group, trigger, this.#stop.signal))
    } catch (error) {
      this.app.log.error({ error, connection: group[0]?.id }, 'A repository could not be polled.')
      return false
    }
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
