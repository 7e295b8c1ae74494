/** The background job that polls the export of a change request. */
import { lookAt } from '../domain/request-exports/poll.js'
import { REQUEST_EXPORT, retryUnexpected } from '../domain/request-exports/schedule.js'
import { JobInterrupted, type JobKind } from './job-kind.js'
import { queues } from './queues.js'

export const requestExport: JobKind = {
  kind: REQUEST_EXPORT,
  queue: queues.requestExport,
  async run(app, job, signal) {
    try {
      return { write: await lookAt(app, String(job.payload.request), signal) }
    } catch (error) {
      if (signal.aborted) throw new JobInterrupted()
      throw error
    }
  },
  failed: (app, job, error) => ({ error, write: (tx) => retryUnexpected(app, tx, String(job.payload.request), error) }),
}
