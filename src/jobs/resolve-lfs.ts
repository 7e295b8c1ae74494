/** The background job that downloads Git LFS objects. */
import { fetchObjects } from '../domain/lfs/fetch.js'
import { type LfsOrder, RESOLVE_LFS } from '../domain/lfs/queue.js'
import { recordProblem } from '../domain/lfs/record.js'
import { type JobKind, untilStopped } from './job-kind.js'
import { queues } from './queues.js'

export const resolveLfs: JobKind<LfsOrder> = {
  kind: RESOLVE_LFS,
  queue: queues.lfs,
  run: (app, job, signal) =>
    untilStopped(signal, async (stop) => ({ write: await fetchObjects(app, job.id, job.payload, stop) })),
  failed: (app, job, error) => ({ error, write: (tx) => recordProblem(app, tx, job.payload.space, error) }),
}
