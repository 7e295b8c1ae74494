/** The background job that builds the displayed parts of a version stored by an earlier release. */
import { makeMissingParts } from '../domain/openapi/missing-parts.js'
import { MAKE_PARTS } from '../domain/openapi/queue.js'
import type { JobKind } from './job-kind.js'
import { queues } from './queues.js'

/** Parses the stored document again, in a separate process. */
export const makeOpenApiParts: JobKind = {
  kind: MAKE_PARTS,
  queue: queues.local,
  run: async (app, job) => ({ write: await makeMissingParts(app, String(job.payload.version)) }),
  failed: (_app, _job, error) => ({ error }),
}
