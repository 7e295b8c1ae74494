/** Handles a verified webhook delivery for a connection by polling its repository. */
import type { ConnectionDoc } from '../../model/index.js'
import type { App } from '../context/app.js'

/** Content of a delivery. It is only a hint: the repository itself is polled. */
interface DeliveryHint {
  event: 'ping' | 'push' | 'pullRequest' | 'other'
  ref?: string
}

/**
 * Triggers a poll of the connection's repository. Hints are merged into one poll, so replayed, reordered and duplicate
 * deliveries are harmless. A push to another branch is ignored.
 */
export function noteDelivery(app: App, connection: ConnectionDoc, hint: DeliveryHint): void {
  if (connection.paused || (hint.event === 'push' && hint.ref !== undefined && hint.ref !== connection.ref)) return
  app.wakeConnections({ connection: connection.id })
}
