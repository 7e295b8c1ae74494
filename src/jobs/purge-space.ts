// The job that purges a deleted space.
import { purgeSpace } from '../domain/upkeep/purge-space.js'
import type { JobKind } from './job-kind.js'
import { queues } from './queues.js'

/** Purges a deleted space that can no longer be restored. */
export const purge: JobKind = {
  kind: 'purge-space',
  queue: queues.local,
  async run(app, job) {
    await purgeSpace(app, String(job.payload.space))
    return {}
  },
  failed: (_app, _job, error) => ({ error }),
}
