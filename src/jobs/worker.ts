import type { App } from '../domain/context/app.js'
import { queueHousekeeping, removeExpired } from '../domain/upkeep/housekeeping.js'
import { applyRetention } from '../domain/events/retention.js'
import { newId } from '../kernel/ids.js'
import type { JobDoc } from '../model/index.js'
import type { Document } from '../store/index.js'
import type { Ending, JobKind } from './job-kind.js'
import { jobKinds } from './kinds.js'
import { claim, finish, MAX_ATTEMPTS, nextJobs, postpone, prune, reclaim } from './queue.js'

const GIVEN_UP = 'The run failed unexpectedly, several times. The cause is in the log of the server; tell an administrator, then start it again.'
/** How often it is looked for what is due without anybody asking. */
const HOUSEKEEPING_MS = 60 * 60 * 1000
const FIRST_HOUSEKEEPING_MS = 60 * 1000

export interface Worker {
  /** Says that jobs were queued. */
  wake(): void
  /** Resolves when nothing is running or ready to run. */
  idle(): Promise<void>
  /** Takes no more jobs, and resolves when those under way have ended. */
  stop(): Promise<void>
}

/**
 * Starts the worker: jobs that a crash interrupted are taken up again, then what is queued runs, at most `concurrency`
 * jobs at a time, those of one lane one after the other.
 */
export function startWorker(app: App, options: { concurrency: number; kinds?: ReadonlyMap<string, JobKind> }): Worker {
  const runner = newId()
  const kinds = options.kinds ?? jobKinds
  // bound: `concurrency`
  const active = new Map<string, Promise<void>>()
  let stopped = false
  let looking: Promise<void> = reclaim(app, runner)
    .then(() => prune(app))
    .catch(logged('The job queue could not be taken up.'))
  let wanted = false
  let timer: NodeJS.Timeout | undefined
  const housekeep = (): void => {
    looking = looking
      .then(() => prune(app))
      .then(() => removeExpired(app))
      .then(() => applyRetention(app))
      .then(() => queueHousekeeping(app))
      .then(wake, logged('Housekeeping could not be queued.'))
  }
  // Soon after the start as well, or a server that is restarted often would never purge; not at once, when clients wait.
  const first = setTimeout(housekeep, FIRST_HOUSEKEEPING_MS).unref()
  const hourly = setInterval(housekeep, HOUSEKEEPING_MS).unref()

  function logged(message: string): (error: unknown) => void {
    return (error) => app.log.error({ err: error }, message)
  }

  function wake(): void {
    if (stopped || wanted) return
    wanted = true
    looking = looking.then(look).catch(logged('The job queue could not be read.'))
  }

  async function look(): Promise<void> {
    wanted = false
    clearTimeout(timer)
    if (stopped) return
    const { ready, wakeAt } = await nextJobs(app, new Set(active.keys()))
    for (const job of ready) {
      if (stopped || active.size >= options.concurrency) break
      start(job)
    }
    if (wakeAt !== null) timer = setTimeout(wake, Math.max(10, wakeAt - app.clock.now().getTime())).unref()
  }

  function start(job: Document<JobDoc>): void {
    const work = perform(job)
      .catch(logged('A job could not be ended.'))
      .then(() => {
        active.delete(job.lane)
        wake()
      })
    active.set(job.lane, work)
  }

  async function perform(queued: Document<JobDoc>): Promise<void> {
    const job = await claim(app, queued.id, runner)
    if (!job) return
    const kind = kinds.get(job.kind)
    const ending = kind ? await attempt(kind, job) : { error: `There is no job of kind ${job.kind} in this release.` }
    if (ending === null) return postpone(app, job.id)
    try {
      await finish(app, job.id, ending)
      app.credentials.delete(job.id)
    } catch (error) {
      // Done but not written down: doing it again is like doing it once.
      await postpone(app, job.id)
      throw error
    }
  }

  /** Null = try again later. */
  async function attempt(kind: JobKind, job: Document<JobDoc>): Promise<Ending | null> {
    if (job.attempts > MAX_ATTEMPTS) return kind.failed(app, job, GIVEN_UP)
    try {
      return await kind.run(app, job)
    } catch (error) {
      app.log.error({ err: error, job: job.id, kind: job.kind, attempt: job.attempts }, 'A job failed unexpectedly.')
      return job.attempts >= MAX_ATTEMPTS ? kind.failed(app, job, GIVEN_UP) : null
    }
  }

  wake()
  return {
    wake,
    async idle() {
      for (;;) {
        await looking
        if (active.size === 0 && !wanted) return
        await Promise.all(active.values())
      }
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      clearTimeout(first)
      clearInterval(hourly)
      await looking
      await Promise.all(active.values())
    },
  }
}
