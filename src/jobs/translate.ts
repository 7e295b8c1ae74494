/** The background job that runs a translation. */
import { writeEnd } from '../domain/translations/finish.js'
import { type RunOrder, TRANSLATE } from '../domain/translations/queue.js'
import { runTranslation } from '../domain/translations/run.js'
import { type Ending, type JobKind, untilStopped } from './job-kind.js'
import { queues } from './queues.js'

/** Runs a translation. */
export const translate: JobKind<RunOrder> = {
  kind: TRANSLATE,
  queue: queues.translation,
  run: (app, job, signal) =>
    untilStopped(signal, async (stop) => {
      const end = await runTranslation(app, job.payload, stop)
      const write: NonNullable<Ending['write']> = async (tx) =>
        end ? writeEnd(app, tx, job.payload.translation, end) : undefined
      return end && 'problem' in end ? { error: end.problem.message, write } : { write }
    }),
  failed: (app, job, error) => ({
    error,
    write: (tx) => writeEnd(app, tx, job.payload.translation, { problem: { code: 'internal', message: error } }),
  }),
}
