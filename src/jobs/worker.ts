/** Runs queued jobs: what is in the queue is in `queue.ts`, what a job does in its own file. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../domain/context/app.js'
import { queueHousekeeping, removeExpired } from '../domain/upkeep/housekeeping.js'
import { applyRetention } from '../domain/events/retention.js'
import { newId } from '../kernel/ids.js'
import type { JobDoc } from '../model/index.js'
import type { Document } from '../store/index.js'
import { type Ending, JobInterrupted, type JobKind } from './job-kind.js'
import { jobKinds } from './kinds.js'
import { type Lanes, ownLanes } from './lanes.js'
import {
  claim,
  finish,
  MAX_ATTEMPTS,
  nextJobs,
  postpone,
  prune,
  putBack,
  runningElsewhere,
  runningIn,
  takeBack,
} from './queue.js'
import { type Queue, queues } from './queues.js'
import { Slots } from '../kernel/slots.js'

const GIVEN_UP =
  'The run failed unexpectedly, several times. The cause is in the log of the server: tell an administrator, then start the run again.'
const HOUSEKEEPING_MS = 60 * 60 * 1000
const FIRST_HOUSEKEEPING_MS = 60 * 1000
const MIN_TIMER_MS = 10
/** What jobs leave to be done begins so long after their end: clients who wait for that end ask for it first. */
const ASIDE_MS = 10
/** How long after an error of the store the queue is looked at again: a database may be away for a while. */
const REST_MS = 5_000

export interface Worker {
  /** Says that jobs were queued. */
  wake(): void
  /** Resolves when nothing is running or ready to run. */
  idle(): Promise<void>
  /** Takes no more jobs, and resolves when those under way have ended. */
  stop(): Promise<void>
}

interface WorkerOptions {
  kinds?: ReadonlyMap<string, JobKind>
  /** Milliseconds; default 5,000. */
  restMs?: number
  /** Who may work in which lane. Default: this process in all. */
  lanes?: Lanes
  /** Whether this process does the housekeeping that is done once. Default: yes. */
  isLeader?: () => boolean
}

/** Starts the worker: jobs that a crash interrupted are taken up again, then what is queued runs. */
export function startWorker(app: App, options: WorkerOptions = {}): Worker {
  const queue = new QueueRunner(app, options)
  queue.wake()
  return { wake: () => queue.wake(), idle: () => queue.idle(), stop: () => queue.stop() }
}

const outcomeOf = (ending: Ending | 'interrupted' | null): 'done' | 'failed' | 'interrupted' | 'retried' =>
  ending === null ? 'retried' : ending === 'interrupted' ? ending : ending.error === undefined ? 'done' : 'failed'

class QueueRunner {
  readonly #lanes: Lanes
  /** Lanes that were found taken by other processes since the last poll. */
  // bound: lanes with queued jobs
  readonly #elsewhere = new Set<string>()
  readonly #kinds: ReadonlyMap<string, JobKind>
  // bound: the slots of all queues, and their stalled jobs; by lane
  readonly #active = new Map<string, Promise<void>>()
  // bound: queues
  readonly #slots = new Map<Queue, Slots>()
  readonly #stop = new AbortController()
  /** Looks at the queue one after the other, housekeeping among them. */
  #looking: Promise<void> = Promise.resolve()
  /** What ended jobs left to be done beside the next ones. */
  #aside: Promise<void> = Promise.resolve()
  /** Whether no stored job counts as running that nobody runs: not so after a crash, and after an error of the store at the end of a job. */
  #isSound = false
  /** A look is waiting: more calls of `wake` need no other. */
  #wanted = false
  #stopped = false
  #timer: NodeJS.Timeout | undefined
  readonly #first: NodeJS.Timeout
  readonly #hourly: NodeJS.Timeout
  readonly #poll: NodeJS.Timeout | undefined

  constructor(
    private readonly app: App,
    private readonly options: WorkerOptions,
  ) {
    this.#kinds = options.kinds ?? jobKinds
    this.#lanes = options.lanes ?? ownLanes
    if (this.#lanes.pollMs !== null) this.#poll = setInterval(() => this.#lookAgain(), this.#lanes.pollMs).unref()
    // Soon after the start as well, or a server that is restarted often would never purge; not at once, when clients wait.
    this.#first = setTimeout(() => this.#housekeep(), FIRST_HOUSEKEEPING_MS).unref()
    this.#hourly = setInterval(() => this.#housekeep(), HOUSEKEEPING_MS).unref()
  }

  wake(): void {
    if (this.#stopped || this.#wanted) return
    this.#wanted = true
    this.#looking = this.#looking
      .then(() => this.#look())
      .catch((error: unknown) => {
        this.#logged('The job queue could not be read.')(error)
        if (!this.#stopped) this.#lookIn(this.options.restMs ?? REST_MS)
      })
  }

  async idle(): Promise<void> {
    for (;;) {
      await this.#looking
      const isEmpty = this.#active.size === 0 && !this.#wanted
      await this.#ended()
      if (isEmpty && this.#active.size === 0 && !this.#wanted) return
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#stop.abort()
    clearTimeout(this.#timer)
    clearTimeout(this.#first)
    clearInterval(this.#hourly)
    clearInterval(this.#poll)
    await this.#looking
    await this.#ended()
  }

  async #ended(): Promise<void> {
    await Promise.all(this.#active.values())
    await this.#aside
  }

  /** Does work when what was left before is done, and those who wait for the job have been told of its end. */
  #leave(work: () => Promise<void>): void {
    this.#aside = this.#aside
      .then(() => sleep(ASIDE_MS))
      .then(async () => {
        if (!this.#stopped) await work()
      })
      .catch(this.#logged('What a job had left to be done failed.'))
  }

  #slotsOf(queue: Queue): Slots {
    const known = this.#slots.get(queue)
    if (known) return known
    const slots = new Slots(queue, () => this.wake())
    this.#slots.set(queue, slots)
    return slots
  }

  #queueOf({ kind }: JobDoc): Queue {
    return this.#kinds.get(kind)?.queue ?? queues.local
  }

  /** Finds what other processes left: what they were at work in, and what they queued without a hint. */
  #lookAgain(): void {
    this.#elsewhere.clear()
    this.#isSound = false
    this.wake()
  }

  /** Removes what is over, and queues what is due without anybody asking. */
  #housekeep(): void {
    const { app } = this
    if (this.options.isLeader?.() === false) return
    this.#looking = this.#looking
      .then(() => prune(app))
      .then(() => removeExpired(app))
      .then(() => applyRetention(app))
      .then(() => queueHousekeeping(app))
      .then(() => this.wake(), this.#logged('Housekeeping could not be queued.'))
  }

  /** Starts what is ready, and sets a timer for what is due later. */
  async #look(): Promise<void> {
    this.#wanted = false
    clearTimeout(this.#timer)
    if (this.#stopped) return
    if (!this.#isSound) await this.#takeUp()
    const { ready, wakeAt } = await nextJobs(
      this.app,
      this.#lanes,
      new Set([...this.#active.keys(), ...this.#elsewhere]),
    )
    for (const queue of new Set(ready.map((job) => this.#queueOf(job)))) this.#startIn(queue, ready)
    if (wakeAt !== null) this.#lookIn(Math.max(MIN_TIMER_MS, wakeAt - this.app.clock.now().getTime()))
  }

  /** Starts jobs of one queue while it has room for them. */
  #startIn(queue: Queue, ready: readonly Document<JobDoc>[]): void {
    const slots = this.#slotsOf(queue)
    const waiting = new Set(ready.filter((job) => this.#queueOf(job) === queue))
    while (!this.#stopped) {
      const job = slots.next([...waiting])
      if (!job) return
      waiting.delete(job)
      this.#start(job, slots)
    }
  }

  /** Takes up the jobs that nobody runs. Another job may end without a trace meanwhile: that is for the next look. */
  async #takeUp(): Promise<void> {
    this.#isSound = true
    try {
      const running = await runningElsewhere(this.app, new Set(this.#active.keys()))
      const free =
        running.length === 0 ? new Set<string>() : await this.#lanes.free([...new Set(running.map(({ lane }) => lane))])
      for (const lane of free) await this.#lanes.take(lane, async () => void (await this.#takeBackIn(lane)))
      if (this.#lanes.pollMs === null) await prune(this.app)
    } catch (error) {
      this.#isSound = false
      throw error
    }
  }

  #lookIn(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.wake(), ms).unref()
  }

  /** Puts back the jobs of a lane that count as running, by whoever has the lane. Returns whether there were any. */
  async #takeBackIn(lane: string): Promise<boolean> {
    const left = await runningIn(this.app, lane)
    for (const job of left) await takeBack(this.app, job)
    return left.length > 0
  }

  /** Runs a job if no other process has its lane. */
  async #takeLane(job: Document<JobDoc>): Promise<void> {
    const isTaken = await this.#lanes.take(job.lane, async (lost) => {
      // Jobs that another process left in the lane come first: the next look finds them.
      if (!(await this.#takeBackIn(job.lane))) await this.#perform(job, lost)
    })
    if (!isTaken) this.#elsewhere.add(job.lane)
  }

  #start(job: Document<JobDoc>, slots: Slots): void {
    const work = slots
      .run(job, () => this.#takeLane(job))
      .catch((error: unknown) => {
        this.#logged('The end of a job could not be recorded; the job runs once more.')(error)
        this.#isSound = false
      })
      .then(() => {
        this.#active.delete(job.lane)
        this.wake()
      })
    this.#active.set(job.lane, work)
  }

  async #perform(queued: Document<JobDoc>, lost: AbortSignal): Promise<void> {
    const { app } = this
    const job = await claim(app, queued.id, newId())
    if (!job) return
    const kind = this.#kinds.get(job.kind)
    const ending = kind
      ? await this.#measured(kind, job, lost)
      : { error: `There is no job of kind ${job.kind} in this release.` }
    if (ending === 'interrupted') return putBack(app, job)
    if (ending === null) return postpone(app, job)
    try {
      const isOurs = await finish(app, job, ending)
      if (!isOurs)
        return app.log.warn(
          { job: job.id, kind: job.kind },
          'A job was taken over by another node while this one was silent.',
        )
      app.credentials.delete(job.id)
      ending.recorded?.()
      if (!this.#stopped) await ending.afterwards?.()
      if (ending.aside) this.#leave(ending.aside)
    } catch (error) {
      // Done, but not recorded as done: it runs once more, which changes nothing.
      await postpone(app, job)
      throw error
    }
  }

  /** Runs a job, and counts the run. */
  async #measured(kind: JobKind, job: Document<JobDoc>, lost: AbortSignal): Promise<Ending | 'interrupted' | null> {
    const { jobs, jobSeconds, jobsRunning } = this.app.meters
    const labels = { kind: kind.kind }
    jobsRunning.inc(labels)
    const stopTimer = jobSeconds.startTimer(labels)
    try {
      const ending = await this.#attempt(kind, job, lost)
      jobs.inc({ ...labels, outcome: outcomeOf(ending) })
      return ending
    } finally {
      stopTimer()
      jobsRunning.dec(labels)
    }
  }

  /** Runs a job; null = try again later. */
  async #attempt(kind: JobKind, job: Document<JobDoc>, lost: AbortSignal): Promise<Ending | 'interrupted' | null> {
    const { app } = this
    if (job.attempts > MAX_ATTEMPTS) return kind.failed(app, job, GIVEN_UP)
    try {
      return await kind.run(
        app,
        job,
        this.#lanes.pollMs === null ? this.#stop.signal : AbortSignal.any([this.#stop.signal, lost]),
      )
    } catch (error) {
      if (error instanceof JobInterrupted) return 'interrupted'
      app.log.error({ err: error, job: job.id, kind: job.kind, attempt: job.attempts }, 'A job failed unexpectedly.')
      return job.attempts >= MAX_ATTEMPTS ? kind.failed(app, job, GIVEN_UP) : null
    }
  }

  #logged(message: string): (error: unknown) => void {
    return (error) => this.app.log.error({ err: error }, message)
  }
}
