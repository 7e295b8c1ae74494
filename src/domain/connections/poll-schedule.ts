/** Schedules polls of hosts. At most one job waits for each polled resource. */
import { newId } from '../../kernel/ids.js'
import { type JobDoc, jobs } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'

/** A poll job: its kind, its lane (which serializes polls) and its payload. */
type PollOrder = Pick<JobDoc, 'kind' | 'lane' | 'payload' | 'organization'>

/** Queues the next poll, or moves the queued one to an earlier time. `at` is in milliseconds since 1970. */
export async function queuePoll(app: App, tx: Transaction, order: PollOrder, at: number): Promise<void> {
  const all = await tx.find(jobs, 'lane', order.lane)
  const queued = all.find((job) => job.state === 'queued')
  const notBefore = new Date(at).toISOString()
  if (queued) {
    if (queued.notBefore !== undefined && queued.notBefore > notBefore) await tx.replace(jobs, { ...queued, notBefore })
    return
  }
  await tx.insert(jobs, {
    id: newId(),
    ...order,
    state: 'queued',
    sequence: Math.max(0, ...all.map((job) => job.sequence)) + 1,
    attempts: 0,
    notBefore,
    createdAt: app.clock.now().toISOString(),
  } satisfies JobDoc)
}
