/** Moves the next poll for pull requests forward after a hint from the host. */
import { connections, jobs } from '../../model/index.js'
import { previewLane, schedulePreviewPoll } from '../connections/preview-polls.js'
import type { App } from '../context/app.js'

/** Minimum time in milliseconds between two polls after hints for one connection. */
const MIN_GAP_MS = 2_000

/** Polls the pull requests of a connection soon, if they are previewed. */
export async function notePullRequests(app: App, connection: string): Promise<void> {
  const queued = await app.store.transact(async (tx) => {
    const doc = await tx.get(connections, connection)
    if (!doc || doc.paused || !doc.pullRequests.preview) return false
    const last = doc.previews === undefined ? Number.NEGATIVE_INFINITY : Date.parse(doc.previews.lookedAt)
    await schedulePreviewPoll(app, tx, doc, Math.max(app.clock.now().getTime(), last + MIN_GAP_MS))
    return (await tx.find(jobs, 'lane', previewLane(doc.id))).length > 0
  })
  if (queued) app.wakeJobs()
}
