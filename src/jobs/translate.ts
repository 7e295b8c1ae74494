/** The background job that runs a translation. */
import { writeEnd } from '../domain/translations/finish.js'
import { type RunOrder, TRANSLATE } from '../domain/translations/queue.js'
import { runTranslation } from '../domain/translations/run.js'
import type { JobDoc } from '../model/index.js'
import { type Ending, JobInterrupted, type JobKind } from './job-kind.js'

const orderOf = (job: JobDoc): RunOrder => job.payload as unknown as RunOrder

/** Runs a translation; engines may be slow, so imports and exports do not wait for these. */
export const translate: JobKind = {
  kind: TRANSLATE,
  slots: 2,
  async run(app, job, signal) {
    // The signal of the worker lives as long as the service: what listens to it must end with the job.
    const stop = new AbortController()
    const abort = (): void => stop.abort()
    signal.addEventListener('abort', abort)
    if (signal.aborted) abort()
    try {
      const end = await runTranslation(app, orderOf(job), stop.signal)
      const write: NonNullable<Ending['write']> = async (tx) => (end ? writeEnd(app, tx, orderOf(job).translation, end) : undefined)
      return end && 'problem' in end ? { error: end.problem.message, write } : { write }
    } catch (error) {
      throw stop.signal.aborted ? new JobInterrupted('The service is stopping.', { cause: error }) : error
    } finally {
      signal.removeEventListener('abort', abort)
    }
  },
  failed: (app, job, error) => ({ error, write: (tx) => writeEnd(app, tx, orderOf(job).translation, { problem: { code: 'internal', message: error } }) }),
}
