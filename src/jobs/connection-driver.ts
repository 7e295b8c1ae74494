/** Drives connections: polls repositories, exports what changed here, and queues what is owed. All that it keeps is in memory and found again after a start. */
import { AsyncResource } from 'node:async_hooks'
import { queueDueExport, queueDueRun } from '../domain/connections/due.js'
import { activeConnections, groupOf, isPolled } from '../domain/connections/groups.js'
import { pollGroup } from '../domain/connections/poll.js'
import type { App } from '../domain/context/app.js'
import { MAIN } from '../domain/context/refs.js'
import type { RefName } from '../kernel/ids.js'
import { Slots } from '../kernel/slots.js'
import type { ConnectionDoc } from '../model/index.js'
import { POLLS } from './queues.js'

/** Hints of one repository are one look in this time. */
const MIN_GAP_MS = 2_000
const MAX_BACK_OFF_MS = 60 * 60 * 1000
/** After a start, the first polls are spread over this time. */
const FIRST_SPREAD_MS = 60_000
/** How many times the quiet time a space that is always edited waits for its export. */
const MAX_QUIET_TIMES = 6
const MIN_TIMER_MS = 10
/** Timers end before Node's limit; a look that finds nothing due sets the next one. */
const MAX_TIMER_MS = 60 * 60 * 1000

export interface ConnectionDriver {
  /** Reports that branches of a space moved. May be called in a transaction. */
  moved(space: string, refs: readonly RefName[]): void
  /** Reports that something may be due; with a hint, the repository of that connection is looked at soon. */
  wake(hint?: { connection: string }): void
  /** Resolves when nothing is looked at. */
  idle(): Promise<void>
  /** Whether something is looked at, or is about to be. */
  readonly isBusy: boolean
  /** Begins nothing more, ends the polls under way, and resolves when they have ended. */
  stop(): Promise<void>
}

/** When a repository is looked at, and how often it failed in a row. */
interface Watch {
  nextAt: number
  failures: number
  lastAt: number
  hinted: boolean
  running: boolean
}

/** A repository that is to be polled now, through a connection of the organization. */
interface DuePoll {
  organization: string
  /** Since when it is due. */
  createdAt: string
  watch: Watch
  group: readonly ConnectionDoc[]
}

/** Starts the driver. Everything is looked at once, since nobody knows what happened meanwhile. */
export function startConnections(app: App): ConnectionDriver {
  const driver = new Driver(app)
  driver.wake()
  return {
    moved: (space, refs) => driver.moved(space, refs),
    // In the context of the start, not of the caller: in a transaction's, another transaction would be refused.
    wake: AsyncResource.bind((hint?: { connection: string }) => driver.wake(hint)),
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
  /** When main of a space moved first and last since it was last looked at. */
  // bound: spaces whose main moved in the quiet time
  #moved = new Map<string, { first: number; last: number }>()
  /** Connections that were named by a hint. */
  // bound: connections
  #hints = new Set<string>()
  /** The first look after the start looks at all spaces. */
  #first = true
  // bound: the slots, and stalled polls
  readonly #polls = new Set<Promise<void>>()
  readonly #slots = new Slots(POLLS, () => this.wake())
  readonly #stop = new AbortController()
  #looking: Promise<void> = Promise.resolve()
  #wanted = false
  /** Looks that were asked for and have not ended. */
  #looks = 0
  #timer: NodeJS.Timeout | undefined

  constructor(readonly app: App) {}

  moved(space: string, refs: readonly RefName[]): void {
    if (!refs.includes(MAIN) || this.#stop.signal.aborted) return
    const now = this.#now()
    this.#moved.set(space, { first: this.#moved.get(space)?.first ?? now, last: now })
    this.#lookIn(this.app.settings.connections.quietMs)
  }

  wake(hint?: { connection: string }): void {
    if (hint) this.#hints.add(hint.connection)
    if (this.#stop.signal.aborted || this.#wanted) return
    this.#wanted = true
    this.#looks++
    this.#looking = this.#looking
      .then(() => this.#look())
      .catch((error: unknown) => {
        this.app.log.error({ error }, 'Connections could not be looked at; that is tried again in a minute.')
        this.#lookIn(60_000)
      })
      .then(() => void this.#looks--)
  }

  get isBusy(): boolean {
    return this.#looks > 0 || this.#polls.size > 0
  }

  async idle(): Promise<void> {
    for (;;) {
      await this.#looking
      await Promise.all(this.#polls)
      if (!this.#wanted && this.#polls.size === 0) return
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    clearTimeout(this.#timer)
    await this.#looking
    await Promise.all(this.#polls)
  }

  #now = (): number => this.app.clock.now().getTime()

  #timerAt = Number.POSITIVE_INFINITY

  /** Looks again after so many milliseconds, or earlier if that was set before. */
  #lookIn(ms: number): void {
    const at = this.#now() + ms
    if (at >= this.#timerAt || this.#stop.signal.aborted) return
    clearTimeout(this.#timer)
    this.#timerAt = at
    this.#timer = setTimeout(
      () => {
        this.#timerAt = Number.POSITIVE_INFINITY
        this.wake()
      },
      Math.min(Math.max(ms, MIN_TIMER_MS), MAX_TIMER_MS),
    ).unref()
  }

  /** Does what is due now, and sets the timer for what is due next. */
  async #look(): Promise<void> {
    this.#wanted = false
    clearTimeout(this.#timer)
    this.#timerAt = Number.POSITIVE_INFINITY
    if (this.#stop.signal.aborted) return
    const hints = this.#hints
    this.#hints = new Set()
    const active = await activeConnections(this.app)
    const due: number[] = []
    for (const one of active) due.push((await queueDueRun(this.app, one)) ?? Number.POSITIVE_INFINITY)
    due.push(await this.#export(active, hints), this.#watch(active, hints))
    const next = Math.min(...due, Number.POSITIVE_INFINITY)
    if (Number.isFinite(next)) this.#lookIn(next - this.#now())
  }

  /** Queues the exports of spaces that were left alone long enough. Returns when the next one is due. */
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
    for (const one of active) if (all || ready.has(one.space) || hints.has(one.id)) await queueDueExport(this.app, one)
    return next
  }

  /** Starts the polls that are due. Returns when the next one is. */
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
    // The end of a poll looks at those that find no slot.
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

  /** Polls in the background; its end looks for what is due next. */
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

  /** When a repository is polled again: later and later while it fails, and never exactly when others are. */
  #nextPoll(failures: number, now: number): number {
    const { pollMs } = this.app.settings.connections
    if (pollMs === 0 && failures === 0) return Number.POSITIVE_INFINITY
    const every = Math.max(pollMs, MIN_GAP_MS)
    const wait = Math.max(every, Math.min(every * 2 ** failures, MAX_BACK_OFF_MS))
    return now + wait * (0.9 + 0.2 * Math.random())
  }
}
