/** Endpoints of webhooks: clients create, edit and delete them, replace their secret, and replay past events. */
import { Type } from '@sinclair/typebox'
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  replayFrom,
  rotateSecret,
  updateWebhook,
} from '../../domain/webhooks/webhooks.js'
import { paginate } from '../../kernel/paging.js'
import {
  CreateWebhook,
  listOf,
  pageQuery,
  ReplayWebhook,
  UpdateWebhook,
  Webhook,
  WebhookWithSecret,
} from '../../model/index.js'
import { created } from '../reply.js'
import { endpoint } from '../service.js'
import { presentWebhook, presentWithSecret, webhookPath } from './present.js'

const section = 'Webhooks'

export const listWebhooksInOrganization = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/webhooks',
  summary: 'List the webhooks of an organization',
  section,
  needs: 'organization:admin',
  query: Type.Object(pageQuery),
  returns: listOf(Webhook, { $id: 'WebhookList' }),
  handle: async ({ app, organization, query }) => {
    const page = paginate(await listWebhooks(app, organization), query, (webhook) => [webhook.createdAt, webhook.id])
    return { ...page, items: await Promise.all(page.items.map((webhook) => presentWebhook(app, webhook))) }
  },
})

export const createWebhookInOrganization = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/webhooks',
  summary: 'Create a webhook',
  description:
    'From now on, every matching event is sent to the URL by POST, as the JSON that `GET …/events/{eventId}` returns, signed as in Standard Webhooks ' +
    '(headers `webhook-id`, `webhook-timestamp`, `webhook-signature`). A response of 200 to 299 within 15 seconds is a success; redirects are not followed. ' +
    'Failed deliveries are retried after 5 s, 20 s, 80 s … 12 h, 13 times in about three days. Every event is delivered at least once, with the same ' +
    '`webhook-id` each time. Deliveries can arrive out of order; `sequence` contains the order. A webhook is disabled when all its deliveries have failed ' +
    'for three days, or when it responds with 410. An organization can have at most 50 webhooks.',
  section,
  needs: 'organization:admin',
  body: CreateWebhook,
  status: 201,
  returns: WebhookWithSecret,
  fails: [409],
  handle: async ({ app, actor, organization, body }) => {
    const webhook = await createWebhook(app, actor, organization, body)
    return created(await presentWithSecret(app, webhook), webhookPath(webhook))
  },
})

export const getWebhookInOrganizationById = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/webhooks/{webhookId}',
  summary: 'Get a webhook',
  section,
  needs: 'organization:admin',
  returns: Webhook,
  handle: ({ app, webhook }) => presentWebhook(app, webhook),
})

export const updateWebhookInOrganizationById = endpoint({
  method: 'PATCH',
  path: '/v1/orgs/{organizationId}/webhooks/{webhookId}',
  summary: 'Change a webhook',
  description:
    'Set `events` or `spaces` to null to remove the filter. When you enable the webhook again, it continues with the events since it was disabled, if they ' +
    'are still kept; use `replay` to continue from another event.',
  section,
  needs: 'organization:admin',
  body: UpdateWebhook,
  returns: Webhook,
  handle: async ({ app, webhook, body }) => presentWebhook(app, await updateWebhook(app, webhook, body)),
})

export const deleteWebhookInOrganizationById = endpoint({
  method: 'DELETE',
  path: '/v1/orgs/{organizationId}/webhooks/{webhookId}',
  summary: 'Delete a webhook and its deliveries',
  section,
  needs: 'organization:admin',
  deletes: 'leaf',
  handle: ({ app, webhook }) => deleteWebhook(app, webhook),
})

export const rotateWebhookSecret = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/webhooks/{webhookId}/rotate-secret',
  summary: 'Replace the secret of a webhook',
  description: 'The new secret is returned only once. For 24 hours, deliveries are also signed with the old one.',
  section,
  needs: 'organization:admin',
  returns: WebhookWithSecret,
  handle: async ({ app, webhook }) => presentWithSecret(app, await rotateSecret(app, webhook)),
})

export const replayWebhookEvents = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/webhooks/{webhookId}/replay',
  summary: 'Deliver events again, starting from a given event',
  description:
    'Sets the event from which the webhook continues. With an earlier one, matching events that are still kept are delivered again; with a later one, the ' +
    'events in between are skipped.',
  section,
  needs: 'organization:admin',
  body: ReplayWebhook,
  returns: Webhook,
  handle: async ({ app, webhook, body }) => presentWebhook(app, await replayFrom(app, webhook, body.from)),
})
