/** Receives webhook deliveries from hosts for connections. A verified delivery only triggers a poll. */
import type { IncomingHttpHeaders } from 'node:http'
import { DeliveryRefused, openDelivery } from '../../hosts/index.js'
import { ServiceError } from '../../kernel/errors.js'
import { newSecret } from '../../kernel/ids.js'
import { type ConnectionDoc, connections } from '../../model/index.js'
import type { App } from '../context/app.js'
import { webhookSecretOfConnection } from './credential.js'

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
  app.wakes.connections({ connection: connection.id })
}

/**
 * The recipient of a delivery. `connection` is null if no connection has the ID, which the response does not reveal.
 */
interface WebhookAddress {
  id: string
  connection: ConnectionDoc | null
}

/** Resolves the ID in the path of a webhook. */
export const webhookAddress = async (app: App, id: string): Promise<WebhookAddress> => ({
  id,
  connection: await app.store.get(connections, id),
})

/** An incoming delivery. */
interface IncomingDelivery {
  headers: IncomingHttpHeaders
  /** IP address of the sender. */
  ip: string
  receive(take: (bytes: Buffer) => void): Promise<void>
  mayHold(bytes: number): boolean
}

/**
 * Verifies a delivery as it arrives and triggers a poll of the connection's repository. An unknown connection takes the
 * same steps and the same time. Throws 401 without a valid signature, 429, and the errors of `receive`.
 */
export async function receiveDelivery(
  app: App,
  { id, connection }: WebhookAddress,
  arriving: IncomingDelivery,
): Promise<void> {
  await app.limitDeliveries?.(arriving.ip, id)
  const { headers, receive, mayHold } = arriving
  const secret = (connection && webhookSecretOfConnection(app, connection)) ?? newSecret()
  const incoming = openDelivery({
    provider: connection?.provider ?? 'generic',
    secret,
    headers,
    now: app.clock.now(),
    mayHold,
  })
  await receive((bytes) => incoming.push(bytes))
  try {
    const delivery = incoming.finish()
    if (connection) noteDelivery(app, connection, delivery)
  } catch (error) {
    if (error instanceof DeliveryRefused)
      throw new ServiceError('unauthenticated', 'The delivery is not signed with the secret of this webhook.')
    throw error
  }
}
