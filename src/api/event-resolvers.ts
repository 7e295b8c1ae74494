/** Loads the events, webhooks and webhook deliveries whose IDs are in a path. */
import type { App } from '../domain/context/app.js'
import type { Actor } from '../domain/context/actor.js'
import type { LoadedOrganization } from '../domain/context/loaded.js'
import { findEvent } from '../domain/events/event-stream.js'
import { findDelivery } from '../domain/webhooks/deliveries.js'
import { findWebhook } from '../domain/webhooks/webhooks.js'
import type { WebhookDoc } from '../model/index.js'
import { resolversOf } from './resolver.js'

const resolver = resolversOf<App, Actor>()
const inOrganization = resolver<{ organization: LoadedOrganization }>()

/** Resolvers for an organization's events and webhooks. */
export const eventResolvers = {
  eventId: inOrganization({
    as: 'event',
    needs: ['organization'],
    description: 'ID of an event.',
    load: ({ app, parents, id }) => findEvent(app, parents.organization, id),
  }),
  webhookId: inOrganization({
    as: 'webhook',
    needs: ['organization'],
    description: 'ID of a webhook.',
    load: ({ app, parents, id }) => findWebhook(app, parents.organization, id),
  }),
  deliveryId: resolver<{ webhook: WebhookDoc }>()({
    as: 'delivery',
    needs: ['webhook'],
    description: 'ID of a delivery.',
    load: ({ app, parents, id }) => findDelivery(app, parents.webhook, id),
  }),
}
