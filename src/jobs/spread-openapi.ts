/**
 * The background jobs that follow a new version of an OpenAPI specification: find the spaces that use it, and create a
 * revision in each.
 */
import { makeComputedRevision, spreadVersion } from '../domain/commits/computed-revision.js'
import { COMPUTE_REVISION, SPREAD_OPENAPI } from '../domain/openapi/queue.js'
import { JobInterrupted, type JobKind } from './job-kind.js'
import { queues } from './queues.js'

export const spreadOpenApi: JobKind = {
  kind: SPREAD_OPENAPI,
  queue: queues.local,
  async run(app, job, signal) {
    const write = await spreadVersion(
      app,
      { organization: String(job.payload.organization), slug: String(job.payload.slug) },
      signal,
    )
    if (signal.aborted) throw new JobInterrupted()
    return { write }
  },
  failed: (_app, _job, error) => ({ error }),
}

export const computeRevision: JobKind = {
  kind: COMPUTE_REVISION,
  queue: queues.local,
  run: async (app, job) => ({
    write: await makeComputedRevision(app, String(job.payload.space), String(job.payload.slug)),
  }),
  failed: (_app, _job, error) => ({ error }),
}
