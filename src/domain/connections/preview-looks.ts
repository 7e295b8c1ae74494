/** When the host of a connection is asked for pull requests to preview: one job waits for each connection that previews them. */
import { newId } from '../../kernel/ids.js'
import { type ConnectionDoc, type JobDoc, jobs } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'

export const PULL_PREVIEWS = 'pull-previews'

/** The lane of the looks of a connection: one runs at a time. */
export const previewLane = (connection: string): string => `${PULL_PREVIEWS}:${connection}`

/** Queues the next look, or brings the one that is queued forward. `at`: milliseconds since 1970. */
export async function schedulePreviewLook(app: App, tx: Transaction, { id, space }: Pick<ConnectionDoc, 'id' | 'space'>, at: number): Promise<void> {
  const lane = previewLane(id)
  const all = await tx.find(jobs, 'lane', lane)
  const queued = all.find((job) => job.state === 'queued')
  const notBefore = new Date(at).toISOString()
  if (queued) {
    if (queued.notBefore !== undefined && queued.notBefore > notBefore) await tx.replace(jobs, { ...queued, notBefore })
    return
  }
  await tx.insert(jobs, {
    id: newId(),
    kind: PULL_PREVIEWS,
    lane,
    payload: { connection: id, space },
    state: 'queued',
    sequence: Math.max(0, ...all.map((job) => job.sequence)) + 1,
    attempts: 0,
    notBefore,
    createdAt: app.clock.now().toISOString(),
  } satisfies JobDoc)
}

/** Has the host looked at after a change of the connection: what is to be previewed may be another, or nothing any more. */
export async function lookAfterChange(app: App, tx: Transaction, before: ConnectionDoc | null, after: ConnectionDoc | null): Promise<void> {
  const doc = after ?? before
  if (doc && (before?.pullRequests.preview || after?.pullRequests.preview)) await schedulePreviewLook(app, tx, doc, app.clock.now().getTime())
}
