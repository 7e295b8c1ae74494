/** The background job that fetches objects of Git LFS. */
import { fetchObjects } from '../domain/lfs/fetch.js'
import { type LfsOrder, RESOLVE_LFS } from '../domain/lfs/queue.js'
import { recordProblem } from '../domain/lfs/record.js'
import type { JobDoc } from '../model/index.js'
import { JobInterrupted, type JobKind } from './job-kind.js'

const orderOf = (job: JobDoc): LfsOrder => job.payload as unknown as LfsOrder

/** Servers of others may be slow, so imports and exports do not wait for these. */
export const resolveLfs: JobKind = {
  kind: RESOLVE_LFS,
  slots: 2,
  async run(app, job, signal) {
    // The signal of the worker lives as long as the service: what listens to it must end with the job.
    const stop = new AbortController()
    const abort = (): void => stop.abort()
    signal.addEventListener('abort', abort)
    if (signal.aborted) abort()
    try {
      return { write: await fetchObjects(app, job.id, orderOf(job), stop.signal) }
    } catch (error) {
      throw stop.signal.aborted ? new JobInterrupted('The service is stopping.', { cause: error }) : error
    } finally {
      signal.removeEventListener('abort', abort)
    }
  },
  failed: (app, job, error) => ({ error, write: (tx) => recordProblem(app, tx, orderOf(job).space, error) }),
}
