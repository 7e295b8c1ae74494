/** Endpoints of webhook deliveries: clients send a test ping, inspect deliveries, and repeat them. */
import { Type } from '@sinclair/typebox'
import { listDeliveries, replayDelivery, testWebhook } from '../../domain/webhooks/deliveries.js'
import { deliveryStatuses, listOf, oneOf, pageQuery, WebhookDelivery } from '../../model/index.js'
import { created } from '../reply.js'
import { endpoint } from '../service.js'
import { deliveryPath, presentDelivery } from './present.js'

const section = 'Webhooks'

export const testWebhookInOrganization = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/webhooks/{webhookId}/test',
  summary: 'Send a ping to a webhook',
  description: 'Sends an event of type `webhook.ping` once, even if the webhook is disabled, and returns the result.',
  section,
  needs: 'organization:admin',
  returns: WebhookDelivery,
  handle: async ({ app, webhook }) => presentDelivery(app, await testWebhook(app, webhook)),
})

export const listWebhookDeliveries = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/webhooks/{webhookId}/deliveries',
  summary: 'List the deliveries of a webhook',
  description:
    'Lists only deliveries that were attempted. They are kept as long as events are, but at most 5,000 finished ones.',
  section,
  needs: 'organization:admin',
  query: Type.Object({
    ...pageQuery,
    status: Type.Optional(oneOf(deliveryStatuses)),
    order: oneOf(['asc', 'desc'], { default: 'desc' }),
  }),
  returns: listOf(WebhookDelivery, { $id: 'WebhookDeliveryList' }),
  handle: async ({ app, webhook, query }) => {
    const page = await listDeliveries(app, webhook, query.status, query, query.order)
    return { ...page, items: page.items.map((delivery) => presentDelivery(app, delivery)) }
  },
})

export const getWebhookDelivery = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/webhooks/{webhookId}/deliveries/{deliveryId}',
  summary: 'Get a delivery',
  section,
  needs: 'organization:admin',
  returns: WebhookDelivery,
  handle: ({ app, delivery }) => presentDelivery(app, delivery),
})

export const replayWebhookDelivery = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/webhooks/{webhookId}/deliveries/{deliveryId}/replay',
  summary: 'Deliver the event of a delivery again',
  description: 'Creates a new delivery with the same `webhook-id`, which is retried like any other.',
  section,
  needs: 'organization:admin',
  status: 201,
  returns: WebhookDelivery,
  fails: [409],
  handle: async ({ app, delivery }) => {
    const replay = await replayDelivery(app, delivery)
    return created(presentDelivery(app, replay), deliveryPath(replay))
  },
})
