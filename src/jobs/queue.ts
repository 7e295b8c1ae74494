// Stores, claims, finishes and retries jobs.
import type { App } from '../domain/context/app.js'
import { backOff } from '../kernel/back-off.js'
import { type JobDoc, jobs } from '../model/index.js'
import type { Document } from '../store/index.js'
import type { Ending } from './job-kind.js'
import type { Lanes } from './lanes.js'

/** Time for which finished jobs are kept for debugging, in milliseconds. */
const KEPT_MS = 24 * 60 * 60 * 1000
/** Maximum number of attempts that may end in an unexpected error or the end of the process. */
export const MAX_ATTEMPTS = 5
const RETRY = { firstMs: 1_000, maxMs: 60_000, factor: 3 }

/** A job with the ID of one of its runs. Another run may have taken over since. */
type JobRun = Pick<JobDoc, 'id' | 'runner'>

/** Changes a job if this run still owns it. Returns false otherwise. */
function change(
  app: App,
  run: JobRun,
  to: (job: Omit<Document<JobDoc>, 'runner'>) => Omit<Document<JobDoc>, 'runner'>,
): Promise<boolean> {
  return app.store.transact(async (tx) => {
    const job = await tx.get(jobs, run.id)
    if (!job || job.runner !== run.runner) return false
    const { runner: _over, ...rest } = job
    await tx.replace(jobs, to(rest))
    return true
  })
}

/** Puts back a job that was interrupted because the service stops. The attempt does not count. */
export async function putBack(app: App, run: JobRun): Promise<void> {
  await change(app, run, (job) => ({ ...job, state: 'queued', attempts: Math.max(0, job.attempts - 1) }))
}

/** Puts back a job that counts as running although no process runs it. */
export async function takeBack(app: App, run: JobRun): Promise<void> {
  await change(app, run, (job) => ({ ...job, state: 'queued' }))
}

/** Returns the jobs that count as running, except those in lanes that this process is working on. */
export async function runningElsewhere(app: App, busy: ReadonlySet<string>): Promise<Document<JobDoc>[]> {
  return (await app.store.find(jobs, 'state', 'running')).filter(({ lane }) => !busy.has(lane))
}

/** Returns the jobs of a lane that count as running. */
export async function runningIn(app: App, lane: string): Promise<Document<JobDoc>[]> {
  return (await app.store.find(jobs, 'lane', lane)).filter(({ state }) => state === 'running')
}

/**
 * Returns the first queued job of every lane that is not `busy`, oldest first.
 * A job blocks its lane while it waits for its time, or while its credentials are in the memory of another live
 * process.
 */
export async function nextJobs(
  app: App,
  lanes: Pick<Lanes, 'dead'>,
  busy: ReadonlySet<string>,
): Promise<{ ready: Document<JobDoc>[]; wakeAt: number | null }> {
  const first = new Map<string, Document<JobDoc>>()
  for (const job of await app.store.find(jobs, 'state', 'queued')) {
    const other = first.get(job.lane)
    if (!other || job.sequence < other.sequence) first.set(job.lane, job)
  }
  const now = app.clock.now().getTime()
  const ready: Document<JobDoc>[] = []
  let wakeAt: number | null = null
  for (const job of first.values()) {
    if (busy.has(job.lane)) continue
    const due = job.notBefore === undefined ? 0 : Date.parse(job.notBefore)
    if (due <= now) ready.push(job)
    else wakeAt = Math.min(wakeAt ?? due, due)
  }
  const mine = await withoutKeeper(app, lanes, ready)
  return { ready: mine.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1)), wakeAt }
}

async function withoutKeeper(
  app: App,
  lanes: Pick<Lanes, 'dead'>,
  all: readonly Document<JobDoc>[],
): Promise<Document<JobDoc>[]> {
  const keepers = all.flatMap(({ keeper }) => (keeper === undefined || keeper === app.node ? [] : [keeper]))
  if (keepers.length === 0) return [...all]
  const dead = await lanes.dead(keepers)
  return all.filter(({ keeper }) => keeper === undefined || keeper === app.node || dead.has(keeper))
}

/** Claims a queued job for a run; null if the job no longer exists or is claimed. */
export function claim(app: App, id: string, runner: string): Promise<Document<JobDoc> | null> {
  return app.store.transact(async (tx) => {
    const job = await tx.get(jobs, id)
    return job?.state === 'queued'
      ? tx.replace(jobs, { ...job, state: 'running', runner, attempts: job.attempts + 1 })
      : null
  })
}

/**
 * Ends a job and does all writes of its ending in one transaction. Returns false, and writes nothing, if another run
 * has taken over.
 */
export async function finish(app: App, run: JobRun, ending: Ending): Promise<boolean> {
  return app.store.transact(async (tx) => {
    const before = await tx.get(jobs, run.id)
    if (before && before.runner !== run.runner) return false
    await ending.write?.(tx)
    const job = await tx.get(jobs, run.id)
    if (!job) return true
    const { runner: _over, notBefore: _due, progress: _done, ...rest } = job
    const finishedAt = app.clock.now().toISOString()
    await tx.replace(jobs, {
      ...rest,
      finishedAt,
      ...(ending.error === undefined ? { state: 'done' } : { state: 'failed', error: ending.error }),
    })
    return true
  })
}

/** Puts a job back after an unexpected error, for a retry after 1, 3, 9 … seconds. */
export async function postpone(app: App, run: JobRun): Promise<void> {
  const after = (attempts: number) => new Date(app.clock.now().getTime() + backOff(attempts, RETRY)).toISOString()
  await change(app, run, (job) => ({ ...job, state: 'queued', notBefore: after(job.attempts) }))
}

/** Removes finished jobs after a day. */
export async function prune(app: App): Promise<void> {
  const before = app.clock.now().getTime() - KEPT_MS
  for (const state of ['done', 'failed'] as const) {
    for (const job of await app.store.find(jobs, 'state', state)) {
      if (job.finishedAt === undefined || Date.parse(job.finishedAt) < before) await app.store.remove(jobs, job.id)
    }
  }
}
