/** Looks at hosts: jobs of which one at most waits for each thing that is looked at. */
import { newId } from '../../kernel/ids.js'
import { type JobDoc, jobs } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'

/** What is looked at: the kind of job, its lane (one look at a time), and what the job is told. */
type LookOrder = Pick<JobDoc, 'kind' | 'lane' | 'payload' | 'organization'>

/** Queues the next look, or brings the one that is queued forward. `at`: milliseconds since 1970. */
export async function queueLook(app: App, tx: Transaction, order: LookOrder, at: number): Promise<void> {
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
