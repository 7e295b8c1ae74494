/** Takes what hosts send to the webhooks of connections: verified first, and then only a hint. */
import type { IncomingHttpHeaders } from 'node:http'
import { DeliveryRefused, openDelivery } from '../../hosts/index.js'
import { ServiceError } from '../../kernel/errors.js'
import { newSecret } from '../../kernel/ids.js'
import { type ConnectionDoc, connections } from '../../model/index.js'
import type { App } from '../context/app.js'
import { webhookSecretOfConnection } from './credential.js'
import { noteDelivery } from './deliveries.js'

/** Whom a delivery is addressed to. `connection` is null if there is none of that ID, which the response does not reveal. */
interface WebhookAddress {
  id: string
  connection: ConnectionDoc | null
}

/** What the path of a webhook leads to. */
export const webhookAddress = async (app: App, id: string): Promise<WebhookAddress> => ({
  id,
  connection: await app.store.get(connections, id),
})

/** A delivery that arrives. */
interface Arriving {
  headers: IncomingHttpHeaders
  /** IP address of the sender. */
  ip: string
  receive(take: (bytes: Buffer) => void): Promise<void>
  mayHold(bytes: number): boolean
}

/**
 * Verifies a delivery as it arrives, and has the connection look at its repository. The same is done, and takes as long, for a connection that
 * does not exist. Throws 401 without a right signature, 429, and what `receive` throws.
 */
export async function receiveDelivery(app: App, { id, connection }: WebhookAddress, arriving: Arriving): Promise<void> {
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
