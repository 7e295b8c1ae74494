/** Turns webhooks and their deliveries into the JSON that clients get, and builds their paths. */
import type { App } from '../../domain/context/app.js'
import { countPending } from '../../domain/webhooks/deliveries.js'
import { webhookSecretOf } from '../../domain/webhooks/secret.js'
import type { DeliveryDoc, WebhookDoc } from '../../model/index.js'
import { defined } from '../../kernel/defined.js'

export const webhookPath = ({ organization, id }: WebhookDoc): string => `/v1/orgs/${organization}/webhooks/${id}`
export const deliveryPath = ({ organization, webhook, id }: DeliveryDoc): string =>
  `/v1/orgs/${organization}/webhooks/${webhook}/deliveries/${id}`

/** Returns a webhook without its secret. */
export async function presentWebhook(app: App, webhook: WebhookDoc) {
  const {
    id,
    organization,
    url,
    description,
    events,
    spaces,
    enabled,
    disabledReason,
    disabledAt,
    failingSince,
    next,
    createdBy,
    createdAt,
    updatedAt,
  } = webhook
  return {
    object: 'webhook' as const,
    id,
    organization,
    url,
    description,
    ...defined({ events, spaces }),
    enabled,
    ...defined({ disabledReason, disabledAt, failingSince }),
    next,
    pending: await countPending(app, webhook),
    createdBy,
    createdAt,
    updatedAt,
    urls: { location: app.settings.publicUrl + webhookPath(webhook) },
  }
}

/** Returns a webhook whose secret was just created. */
export const presentWithSecret = async (app: App, webhook: WebhookDoc) => ({
  ...(await presentWebhook(app, webhook)),
  secret: webhookSecretOf(app, webhook) ?? '',
})

/** Returns a delivery as JSON. */
export function presentDelivery(app: App, delivery: DeliveryDoc) {
  const { version: _version, ...fields }: DeliveryDoc & { version?: number } = delivery
  return {
    object: 'webhook-delivery' as const,
    ...fields,
    urls: { location: app.settings.publicUrl + deliveryPath(delivery) },
  }
}
