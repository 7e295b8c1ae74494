// How jobs are stored, taken, finished and tried again.
import type { App } from '../domain/context/app.js'
import { type JobDoc, jobs } from '../model/index.js'
import type { Document } from '../store/index.js'
import type { Ending } from './job-kind.js'

/** How long a finished job is kept, for those who look into the documents: one day. */
const KEPT_MS = 24 * 60 * 60 * 1000
/** How often an unexpected error, or the end of the process, may interrupt a job before it is given up. */
export const MAX_ATTEMPTS = 5

/** Puts back a job that was interrupted because the service stops: the attempt does not count. */
export async function putBack(app: App, id: string): Promise<void> {
  await app.store.transact(async (tx) => {
    const job = await tx.get(jobs, id)
    if (!job) return
    const { runner: _over, ...rest } = job
    await tx.replace(jobs, { ...rest, state: 'queued', attempts: Math.max(0, job.attempts - 1) })
  })
}

/**
 * Puts back the jobs that count as running although nobody runs them: the process that did has ended, or the end of a job could not be stored. One process
 * owns the store.
 * @param active IDs of the jobs that this process is running
 */
export async function reclaim(app: App, active: ReadonlySet<string>): Promise<void> {
  for (const job of await app.store.find(jobs, 'state', 'running')) {
    if (active.has(job.id)) continue
    const { runner: _gone, ...rest } = job
    await app.store.replace(jobs, { ...rest, state: 'queued' })
  }
}

/** The first queued job of every lane that is not `busy`, oldest first. A job that waits for its time holds its lane. */
export async function nextJobs(app: App, busy: ReadonlySet<string>): Promise<{ ready: Document<JobDoc>[]; wakeAt: number | null }> {
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
  return { ready: ready.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1)), wakeAt }
}

/** Takes a queued job; null if it is gone or taken. */
export function claim(app: App, id: string, runner: string): Promise<Document<JobDoc> | null> {
  return app.store.transact(async (tx) => {
    const job = await tx.get(jobs, id)
    return job?.state === 'queued' ? tx.replace(jobs, { ...job, state: 'running', runner, attempts: job.attempts + 1 }) : null
  })
}

/** Ends a job with all that its ending writes, in one transaction. */
export async function finish(app: App, id: string, ending: Ending): Promise<void> {
  await app.store.transact(async (tx) => {
    await ending.write?.(tx)
    const job = await tx.get(jobs, id)
    if (!job) return
    const { runner: _over, notBefore: _due, ...rest } = job
    const finishedAt = app.clock.now().toISOString()
    await tx.replace(jobs, { ...rest, finishedAt, ...(ending.error === undefined ? { state: 'done' } : { state: 'failed', error: ending.error }) })
  })
}

/** Puts a job back after an unforeseen error, to be tried after 1, 4, 9 … seconds. */
export async function postpone(app: App, id: string): Promise<void> {
  await app.store.transact(async (tx) => {
    const job = await tx.get(jobs, id)
    if (!job) return
    const { runner: _over, ...rest } = job
    await tx.replace(jobs, { ...rest, state: 'queued', notBefore: new Date(app.clock.now().getTime() + 1000 * job.attempts ** 2).toISOString() })
  })
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
