/** The background job that imports content from a URL. */
import { Interrupted } from '../domain/imports/failure.js'
import { runImport, writeImportEnd } from '../domain/imports/run.js'
import type { JobDoc } from '../model/index.js'
import { type JobKind, JobInterrupted } from './job-kind.js'
import { queues } from './queues.js'

const idOf = (job: JobDoc): string => String(job.payload.import)

export const contentImport: JobKind = {
  kind: 'content-import',
  queue: queues.contentImport,
  async run(app, job, signal) {
    const id = idOf(job)
    try {
      const end = await runImport(app, id, signal)
      return { write: (tx) => writeImportEnd(app, tx, id, end), afterwards: async () => app.waits.wake(id) }
    } catch (error) {
      throw error instanceof Interrupted || signal.aborted
        ? new JobInterrupted('The service is stopping.', { cause: error })
        : error
    }
  },
  failed: (app, job, error) => ({
    error,
    write: (tx) => writeImportEnd(app, tx, idOf(job), { problem: { code: 'internal', message: error } }),
    afterwards: async () => app.waits.wake(idOf(job)),
  }),
}
