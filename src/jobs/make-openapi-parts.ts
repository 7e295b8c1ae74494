/** The background job that makes what pages show of a version that an earlier release stored. */
import { makeMissingParts } from '../domain/openapi/missing-parts.js'
import { MAKE_PARTS } from '../domain/openapi/queue.js'
import type { JobKind } from './job-kind.js'
import { queues } from './queues.js'

/** Reads a stored document again, in a process of its own. */
export const makeOpenApiParts: JobKind = {
  kind: MAKE_PARTS,
  queue: queues.local,
  run: async (app, job) => ({ write: await makeMissingParts(app, String(job.payload.version)) }),
  failed: (_app, _job, error) => ({ error }),
}
