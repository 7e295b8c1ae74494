/** When the host of a connection is asked for pull requests to preview: one job waits for each connection that previews them. */
import type { ConnectionDoc } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { queueLook } from './poll-schedule.js'

export const PULL_PREVIEWS = 'pull-previews'

/** The lane of the looks of a connection: one runs at a time. */
export const previewLane = (connection: string): string => `${PULL_PREVIEWS}:${connection}`

/** A connection that is looked at; its organization is unknown if the connection is gone. */
type PreviewedConnection = Pick<ConnectionDoc, 'id' | 'space'> & { organization?: string }

/** Queues the next look at the pull requests of a connection, or brings the one that is queued forward. `at`: milliseconds since 1970. */
export function schedulePreviewLook(
  app: App,
  tx: Transaction,
  { id, space, organization }: PreviewedConnection,
  at: number,
): Promise<void> {
  const order = { kind: PULL_PREVIEWS, lane: previewLane(id), payload: { connection: id, space } }
  return queueLook(app, tx, organization === undefined ? order : { ...order, organization }, at)
}

/** Has the host looked at after a change of the connection: what is to be previewed may be another, or nothing any more. */
export async function lookAfterChange(
  app: App,
  tx: Transaction,
  before: ConnectionDoc | null,
  after: ConnectionDoc | null,
): Promise<void> {
  const doc = after ?? before
  if (doc && (before?.pullRequests.preview || after?.pullRequests.preview))
    await schedulePreviewLook(app, tx, doc, app.clock.now().getTime())
}
