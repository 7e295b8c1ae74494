/** Schedules polls for pull requests to preview: one waiting job per connection with previews. */
import { type ConnectionDoc, jobOf } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { queuePoll } from './poll-schedule.js'

export const PULL_PREVIEWS = 'pull-previews'

/** Lane for the polls of a connection. It runs one poll at a time. */
export const previewLane = (connection: string): string => `${PULL_PREVIEWS}:${connection}`

/** The polled connection. Its organization is unknown if the connection was deleted. */
type PreviewedConnection = Pick<ConnectionDoc, 'id' | 'space'> & { organization?: string }

/**
 * Queues the next poll for pull requests of a connection, or moves the queued one to an earlier time. `at` is in
 * milliseconds since 1970.
 */
export function schedulePreviewPoll(
  app: App,
  tx: Transaction,
  { id, space, organization }: PreviewedConnection,
  at: number,
): Promise<void> {
  const order = { ...jobOf(PULL_PREVIEWS, { connection: id, space }), lane: previewLane(id) }
  return queuePoll(app, tx, organization === undefined ? order : { ...order, organization }, at)
}

/** Polls the host after a change of the connection, since the change may add or remove previews. */
export async function pollAfterChange(
  app: App,
  tx: Transaction,
  before: ConnectionDoc | null,
  after: ConnectionDoc | null,
): Promise<void> {
  const doc = after ?? before
  if (doc && (before?.pullRequests.preview || after?.pullRequests.preview))
    await schedulePreviewPoll(app, tx, doc, app.clock.now().getTime())
}
