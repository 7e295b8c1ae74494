/** Runs queued jobs. `queue.ts` stores them, and each job has its own file. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../domain/context/app.js'
import { queueHousekeeping, removeExpired } from '../domain/upkeep/housekeeping.js'
import { recordHealth } from '../domain/health/record.js'
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
import { Passes } from '../kernel/passes.js'
import { Slots } from '../kernel/slots.js'
import { currentTracing } from '../kernel/traces.js'
import { Sequence } from '../kernel/turns.js'

const GIVEN_UP =
  'The run failed unexpectedly several times. The cause is in the log of the server. Notify an administrator, then start the run again.'
const HOUSEKEEPING_MS = 60 * 60 * 1000
const FIRST_HOUSEKEEPING_MS = 60 * 1000
/**
 * Delay between the end of a job and its `aside` work, in milliseconds. Clients that wait for the end get their
 * requests in first.
 */
const ASIDE_MS = 10
/**
 * Delay after an error of the store before the queue is read again, in milliseconds. A database may be unreachable for
 * a while.
 */
const REST_MS = 5_000

export interface Worker {
  /** Reports that jobs were queued. */
  wake(): void
  /** Resolves when no job is running or ready to run. */
  idle(): Promise<void>
  /** Claims no more jobs, and resolves when running ones have ended. */
  stop(): Promise<void>
}

interface WorkerOptions {
  kinds?: ReadonlyMap<string, JobKind>
  /** Milliseconds; default 5,000. */
  restMs?: number
  /** The lanes that this process may use. Default: all. */
  lanes?: Lanes
  /** Whether this process runs the shared housekeeping; true by default. */
  isLeader?: () => boolean
}

/** Starts the worker. Jobs that a crash interrupted are put back, then queued jobs run. */
export function startWorker(app: App, options: WorkerOptions = {}): Worker {
  const queue = new QueueRunner(app, options)
  queue.wake()
  return { wake: () => queue.wake(), idle: () => queue.idle(), stop: () => queue.stop() }
}

const outcomeOf = (ending: Ending | 'interrupted' | null): 'done' | 'failed' | 'interrupted' | 'retried' =>
  ending === null ? 'retried' : ending === 'interrupted' ? ending : ending.error === undefined ? 'done' : 'failed'

class QueueRunner {
  readonly #lanes: Lanes
  /** Lanes that other processes held since the last poll. */
  // bound: lanes with queued jobs
  readonly #elsewhere = new Set<string>()
  readonly #kinds: ReadonlyMap<string, JobKind>
  // bound: the slots of all queues, and their stalled jobs; by lane
  readonly #active = new Map<string, Promise<void>>()
  // bound: queues
  readonly #slots = new Map<Queue, Slots>()
  readonly #stop = new AbortController()
  readonly #passes: Passes
  /** The `aside` work of ended jobs. */
  readonly #asides = new Sequence()
  /**
   * Whether all jobs that count as running are running. False after a crash, and after a store error at the end of a
   * job.
   */
  #isSound = false
  /** Whether the next pass does the housekeeping first. */
  #isHousekeepingDue = false
  readonly #first: NodeJS.Timeout
  readonly #hourly: NodeJS.Timeout
  readonly #poll: NodeJS.Timeout | undefined

  constructor(
    private readonly app: App,
    private readonly options: WorkerOptions,
  ) {
    this.#kinds = options.kinds ?? jobKinds
    this.#lanes = options.lanes ?? ownLanes
    this.#passes = new Passes({
      pass: () => this.#look(),
      failed: this.#logged('The job queue could not be read.'),
      restMs: options.restMs ?? REST_MS,
    })
    if (this.#lanes.pollMs !== null) this.#poll = setInterval(() => this.#lookAgain(), this.#lanes.pollMs).unref()
    // Also soon after the start, because a server that is often restarted would never purge. Not immediately, because
    // clients wait.
    this.#first = setTimeout(() => this.#housekeep(), FIRST_HOUSEKEEPING_MS).unref()
    this.#hourly = setInterval(() => this.#housekeep(), HOUSEKEEPING_MS).unref()
  }

  wake(): void {
    this.#passes.wake()
  }

  async idle(): Promise<void> {
    for (;;) {
      await this.#passes.idle()
      const isEmpty = this.#active.size === 0
      await this.#ended()
      if (isEmpty && this.#active.size === 0 && !this.#passes.isBusy) return
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    clearTimeout(this.#first)
    clearInterval(this.#hourly)
    clearInterval(this.#poll)
    await this.#passes.stop()
    await this.#ended()
  }

  async #ended(): Promise<void> {
    await Promise.all(this.#active.values())
    await this.#asides.idle()
  }

  /** Runs work after earlier `aside` work, when clients that wait for the job have learned of its end. */
  #leave(work: () => Promise<void>): void {
    const leave = async (): Promise<void> => {
      await sleep(ASIDE_MS)
      if (!this.#stop.signal.aborted) await work()
    }
    this.#asides.run(leave).catch(this.#logged('The aside work of a job failed.'))
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

  /** Finds jobs that other processes left: interrupted ones, and those queued without a hint. */
  #lookAgain(): void {
    this.#elsewhere.clear()
    this.#isSound = false
    this.wake()
  }

  #housekeep(): void {
    if (this.options.isLeader?.() === false) return
    this.#isHousekeepingDue = true
    this.wake()
  }

  /** Removes expired data, and queues regular maintenance. */
  async #keepHouse(): Promise<void> {
    const { app } = this
    this.#isHousekeepingDue = false
    try {
      await prune(app)
      await removeExpired(app)
      await applyRetention(app)
      await queueHousekeeping(app)
      await recordHealth(app)
    } catch (error) {
      this.#logged('Housekeeping could not be queued.')(error)
    }
  }

  /** Starts ready jobs. Returns the milliseconds until later ones are ready, or null if there are none. */
  async #look(): Promise<number | null> {
    if (this.#isHousekeepingDue) await this.#keepHouse()
    if (!this.#isSound) await this.#takeUp()
    const { ready, wakeAt } = await nextJobs(
      this.app,
      this.#lanes,
      new Set([...this.#active.keys(), ...this.#elsewhere]),
    )
    for (const queue of new Set(ready.map((job) => this.#queueOf(job)))) this.#startIn(queue, ready)
    return wakeAt === null ? null : wakeAt - this.app.clock.now().getTime()
  }

  /** Starts jobs of one queue while it has free slots. */
  #startIn(queue: Queue, ready: readonly Document<JobDoc>[]): void {
    const slots = this.#slotsOf(queue)
    const waiting = new Set(ready.filter((job) => this.#queueOf(job) === queue))
    while (!this.#stop.signal.aborted) {
      const job = slots.next([...waiting])
      if (!job) return
      waiting.delete(job)
      this.#start(job, slots)
    }
  }

  /** Puts back jobs that no process runs. Jobs that are lost during this pass are found by the next. */
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

  /**
   * Puts back the jobs of a lane that count as running. The caller must hold the lane. Returns whether there were any.
   */
  async #takeBackIn(lane: string): Promise<boolean> {
    const left = await runningIn(this.app, lane)
    for (const job of left) await takeBack(this.app, job)
    return left.length > 0
  }

  /** Runs a job if no other process holds its lane. */
  async #takeLane(job: Document<JobDoc>): Promise<void> {
    const isTaken = await this.#lanes.take(job.lane, async (lost) => {
      // Jobs that another process left in the lane come first. The next pass finds them.
      if (!(await this.#takeBackIn(job.lane))) await this.#perform(job, lost)
    })
    if (!isTaken) this.#elsewhere.add(job.lane)
  }

  #start(job: Document<JobDoc>, slots: Slots): void {
    const work = slots
      .run(job, () => this.#takeLane(job))
      .catch((error: unknown) => {
        this.#logged('The end of a job could not be recorded. The job will run again.')(error)
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
      : { error: `This release has no job of kind ${job.kind}.` }
    if (ending === 'interrupted') return putBack(app, job)
    if (ending === null) return postpone(app, job)
    try {
      const isOurs = await finish(app, job, ending)
      if (!isOurs)
        return app.log.warn(
          { job: job.id, kind: job.kind },
          'Another node took over a job because this node did not respond for too long.',
        )
      app.credentials.delete(job.id)
      ending.recorded?.()
      if (!this.#stop.signal.aborted) await ending.afterwards?.()
      if (ending.aside) this.#leave(ending.aside)
    } catch (error) {
      // The job is done but not recorded. It runs again, which changes nothing.
      await postpone(app, job)
      throw error
    }
  }

  /** Runs a job and records its metrics. */
  async #measured(kind: JobKind, job: Document<JobDoc>, lost: AbortSignal): Promise<Ending | 'interrupted' | null> {
    const { jobs, jobSeconds, jobsRunning } = this.app.meters
    const labels = { kind: kind.kind }
    jobsRunning.inc(labels)
    const stopTimer = jobSeconds.startTimer(labels)
    try {
      const attempt = () => this.#attempt(kind, job, lost)
      const attributes = { 'bindery.job': job.id, 'bindery.attempt': job.attempts }
      const ending = await (currentTracing()?.within(`job ${kind.kind}`, attributes, attempt) ?? attempt())
      jobs.inc({ ...labels, outcome: outcomeOf(ending) })
      return ending
    } finally {
      stopTimer()
      jobsRunning.dec(labels)
    }
  }

  /** Runs a job; null = retry later. */
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
