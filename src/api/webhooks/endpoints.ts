import { Type } from '@sinclair/typebox'
import { createWebhook, deleteWebhook, listWebhooks, replayFrom, rotateSecret, updateWebhook } from '../../domain/webhooks/webhooks.js'
import { paginate } from '../../kernel/paging.js'
import { CreateWebhook, listOf, pageQuery, ReplayWebhook, UpdateWebhook, Webhook, WebhookWithSecret } from '../../model/index.js'
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
    'Every event that matches, from now on, is sent to the URL: by POST, as the JSON that `GET …/events/{eventId}` answers, signed as the convention Standard Webhooks says (headers `webhook-id`, `webhook-timestamp`, `webhook-signature`). An answer of 200 to 299 within 15 seconds is a success; redirects are not followed. What fails is tried again after 5 s, 20 s, 80 s … 12 h, 13 times in about three days. Every event comes at least once, under the same `webhook-id` when it comes again; `sequence` says the order, which deliveries need not keep. A webhook whose deliveries all failed for three days, or that answers 410, is disabled. An organization has at most 50.',
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
    'Null for `events` or `spaces` takes the filter away. Enabled again, it goes on with what happened meanwhile, as far as that is kept; `replay` moves it elsewhere.',
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
  summary: 'Give a webhook another secret',
  description: 'The new secret is answered this once. For 24 hours, deliveries are signed with the old one as well.',
  section,
  needs: 'organization:admin',
  returns: WebhookWithSecret,
  handle: async ({ app, webhook }) => presentWithSecret(app, await rotateSecret(app, webhook)),
})

export const replayWebhookEvents = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/webhooks/{webhookId}/replay',
  summary: 'Deliver again from an event on',
  description:
    'Sets the event with which the webhook goes on. An earlier one delivers again what matches and is kept; a later one leaves out what lies between.',
  section,
  needs: 'organization:admin',
  body: ReplayWebhook,
  returns: Webhook,
  handle: async ({ app, webhook, body }) => presentWebhook(app, await replayFrom(app, webhook, body.from)),
})
