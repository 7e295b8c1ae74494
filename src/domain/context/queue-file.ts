/** Queues jobs that generate files for waiting requests. */
import { ServiceError } from '../../kernel/errors.js'
import { type JobDoc, type JobName, type JobPayload, jobOf, jobs } from '../../model/index.js'
import type { App } from './app.js'

/** Time after a failed attempt before another request starts a new one, in milliseconds. */
const RETRY_AFTER_MS = 10 * 60 * 1000

/** A file to make. */
interface FileOrder<K extends JobName> {
  kind: K
  /** ID of the job, which identifies the file. */
  id: string
  lane: string
  organization: string
  payload: JobPayload<K>
  /** Whether too many files of the lane wait, and the message then. */
  isFull(waiting: readonly JobDoc[]): boolean
  full: string
}

/** Queues the job of a file unless it is queued, and returns its document. Throws 503 if too many wait. */
export async function queueFile<K extends JobName>(app: App, order: FileOrder<K>): Promise<JobDoc> {
  const { kind, id, lane, organization, payload, isFull, full } = order
  const before = await app.store.get(jobs, id)
  if (before && !isOver(app, before)) return before
  const queued = await app.store.transact(async (tx) => {
    const now = app.clock.now()
    const known = await tx.get(jobs, id)
    if (known && !isOver(app, known)) return known
    const waiting = (await tx.find(jobs, 'lane', lane)).filter(({ state }) => state === 'queued' || state === 'running')
    if (isFull(waiting)) throw new ServiceError('unavailable', full, { headers: { 'Retry-After': '30' } })
    const job = {
      id,
      ...jobOf(kind, payload),
      lane,
      organization,
      state: 'queued' as const,
      sequence: now.getTime(),
      attempts: 0,
      createdAt: now.toISOString(),
    }
    return known ? tx.replace(jobs, { ...job, version: known.version }) : tx.insert(jobs, job)
  })
  app.wakes.jobs()
  return queued
}

/** Minimum time between two reports of the progress of a file, in milliseconds. */
const REPORT_MS = 1_000

/** Returns the function that reports the finished part of a file, from 0 to 1, to those who wait for it. */
export function progressOf(app: App, id: string): (part: number) => Promise<void> {
  let reportedAt = performance.now()
  return async (part) => {
    const now = performance.now()
    if (now - reportedAt < REPORT_MS) return
    reportedAt = now
    await app.store.transact(async (tx) => {
      const job = await tx.get(jobs, id)
      if (job?.state === 'running') await tx.replace(jobs, { ...job, progress: part })
    })
  }
}

/**
 * Whether a job has ended, so that a new request starts it again: it is done (and its file was deleted), or it failed a
 * while ago.
 */
function isOver(app: App, job: JobDoc): boolean {
  if (job.state === 'done') return true
  return job.state === 'failed' && app.clock.now().getTime() - Date.parse(job.finishedAt ?? '') > RETRY_AFTER_MS
}
