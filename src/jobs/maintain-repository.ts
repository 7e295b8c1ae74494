// The job that maintains a repository.
import { maintainRepository } from '../domain/upkeep/housekeeping.js'
import type { JobKind } from './job-kind.js'
import { queues } from './queues.js'

/** Repacks the repository of a space. */
export const maintain: JobKind = {
  kind: 'maintain-repository',
  queue: queues.local,
  async run(app, job) {
    await maintainRepository(app, String(job.payload.space))
    return {}
  },
  failed: (_app, _job, error) => ({ error }),
}
