/** The background job that processes an OpenAPI specification. */
import { giveUpSpec, processSpec } from '../domain/openapi/processing.js'
import { PROCESS_OPENAPI } from '../domain/openapi/queue.js'
import { JobInterrupted, type JobKind } from './job-kind.js'
import { queues } from './queues.js'

/** Fetches and processes a specification. */
export const processOpenApi: JobKind = {
  kind: PROCESS_OPENAPI,
  queue: queues.openapi,
  async run(app, job, signal) {
    const write = await processSpec(app, String(job.payload.spec), signal)
    if (signal.aborted) throw new JobInterrupted()
    return { write }
  },
  failed: (app, job, error) => ({ error, write: (tx) => giveUpSpec(app, tx, String(job.payload.spec), error) }),
}
