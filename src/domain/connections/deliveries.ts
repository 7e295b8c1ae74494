/** What a verified delivery of a host's webhook means for a connection: its repository is looked at. */
import type { ConnectionDoc } from '../../model/index.js'
import type { App } from '../context/app.js'

/** What a delivery says. It is only a hint: what is true is asked of the repository. */
interface DeliveryHint {
  event: 'ping' | 'push' | 'pullRequest' | 'other'
  ref?: string
}

/**
 * Queues a look at the repository of the connection, soon; many hints are one look, so replayed, reordered and duplicated deliveries do no harm. A push to
 * another branch is passed over.
 */
export function noteDelivery(app: App, connection: ConnectionDoc, hint: DeliveryHint): void {
  if (connection.paused || (hint.event === 'push' && hint.ref !== undefined && hint.ref !== connection.ref)) return
  app.wakeConnections({ connection: connection.id })
}
