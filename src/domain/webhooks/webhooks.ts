// Creates and changes webhooks.
import { badRequest, conflict, notFound } from '../../kernel/errors.js'
import { newId } from '../../kernel/ids.js'
import {
  type CreateWebhook,
  deliveries,
  organizations,
  spaces,
  type UpdateWebhook,
  type WebhookDoc,
  webhooks,
} from '../../model/index.js'
import { OutboundError } from '../../outbound/index.js'
import type { Document, Reader, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedOrganization } from '../context/loaded.js'
import { nextSequence } from '../events/events.js'
import { makePendingDue } from './outcome.js'
import { newSealedSecret } from './secret.js'
import { defined } from '../../kernel/defined.js'

const MAX_WEBHOOKS = 50
/** Time in milliseconds after a rotation during which the previous secret also signs. */
const ROTATION_MS = 24 * 60 * 60 * 1000

/** Lists the webhooks of an organization. */
export const listWebhooks = (app: App, organization: LoadedOrganization): Promise<Document<WebhookDoc>[]> =>
  app.store.find(webhooks, 'organization', organization.doc.id)

/** Finds a webhook of the organization. Null if there is none. */
export async function findWebhook(
  app: App,
  organization: LoadedOrganization,
  id: string,
): Promise<Document<WebhookDoc> | null> {
  const webhook = await app.store.get(webhooks, id)
  return webhook?.organization === organization.doc.id ? webhook : null
}

/** Throws 400 for a URL that the service never sends requests to. Hosts that do not resolve (yet) are accepted. */
async function checkUrl(app: App, url: string): Promise<void> {
  try {
    await app.http.check(url)
  } catch (error) {
    if (error instanceof OutboundError && error.failure !== 'refused') return
    if (error instanceof OutboundError)
      throw badRequest(`The URL is not allowed for a webhook: ${error.message}`, [
        { path: '/url', message: error.message },
      ])
    throw error
  }
}

/** Throws 400 if one of the IDs is not a space of the organization. */
async function checkSpaces(reader: Reader, organization: string, ids: readonly string[]): Promise<void> {
  for (const [index, id] of ids.entries()) {
    const space = await reader.get(spaces, id)
    if (space?.organization !== organization || space.deletedAt !== undefined)
      throw badRequest(`The space ${id} does not exist in this organization.`, [
        { path: `/spaces/${index}`, message: 'must be the ID of a space of this organization' },
      ])
  }
}

/** Creates a webhook that receives events from now on. Throws 400 (url, spaces), and 409 if there are too many. */
export async function createWebhook(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  input: CreateWebhook,
): Promise<Document<WebhookDoc>> {
  await checkUrl(app, input.url)
  return app.store.transact(async (tx) => {
    const { id } = organization.doc
    if (!(await tx.get(organizations, id))) throw notFound('The organization')
    if ((await tx.count(webhooks, 'organization', id)) >= MAX_WEBHOOKS)
      throw conflict(`An organization can have at most ${MAX_WEBHOOKS} webhooks. Delete one first.`)
    await checkSpaces(tx, id, input.spaces ?? [])
    const now = app.clock.now().toISOString()
    const { description = '', enabled = true, ...rest } = input
    const next = await nextSequence(tx, id)
    const webhook = newId()
    const made = {
      id: webhook,
      organization: id,
      description,
      enabled,
      sealedSecret: newSealedSecret(app, webhook),
      next,
      createdBy: actor.user.id,
    }
    return tx.insert(webhooks, { ...rest, ...made, createdAt: now, updatedAt: now })
  })
}

/** Changes a webhook, based on the stored version. Throws 404 if it was deleted in the meantime. */
async function change(
  app: App,
  webhook: Document<WebhookDoc>,
  work: (tx: Transaction, stored: Document<WebhookDoc>) => Promise<Document<WebhookDoc>>,
) {
  const doc = await app.store.transact(async (tx) => {
    const stored = await tx.get(webhooks, webhook.id)
    if (!stored) throw notFound('The webhook')
    return tx.replace(webhooks, { ...(await work(tx, stored)), updatedAt: app.clock.now().toISOString() })
  })
  app.wakes.webhooks(doc.organization)
  return doc
}

/** Enables a webhook again: clears its failures and makes waiting deliveries due now. */
async function reenable(app: App, tx: Transaction, webhook: Document<WebhookDoc>): Promise<Document<WebhookDoc>> {
  const { disabledReason: _why, disabledAt: _when, failingSince: _since, ...rest } = webhook
  await makePendingDue(app, tx, webhook.id)
  return { ...rest, enabled: true }
}

/**
 * Changes the given settings. A webhook that is enabled again gets the events that happened in the meantime. Throws 400
 * (url, spaces).
 */
export async function updateWebhook(
  app: App,
  webhook: Document<WebhookDoc>,
  input: UpdateWebhook,
): Promise<Document<WebhookDoc>> {
  if (input.url !== undefined) await checkUrl(app, input.url)
  return change(app, webhook, async (tx, stored) => {
    await checkSpaces(tx, stored.organization, input.spaces ?? [])
    const { events, spaces: only, enabled: on, ...rest } = input
    const {
      events: hadEvents,
      spaces: hadSpaces,
      ...others
    } = on === true && !stored.enabled ? await reenable(app, tx, stored) : stored
    const types = events === undefined ? hadEvents : (events ?? undefined)
    const about = only === undefined ? hadSpaces : (only ?? undefined)
    return {
      ...others,
      ...rest,
      ...defined({ enabled: on, events: types, spaces: about }),
    }
  })
}

/** Creates a new secret for a webhook. For a day the old one also signs, so that the receiver has time to switch. */
export function rotateSecret(app: App, webhook: Document<WebhookDoc>): Promise<Document<WebhookDoc>> {
  return change(app, webhook, async (_tx, stored) => {
    const until = new Date(app.clock.now().getTime() + ROTATION_MS).toISOString()
    return {
      ...stored,
      sealedSecret: newSealedSecret(app, stored.id),
      previousSecret: { sealed: stored.sealedSecret, until },
    }
  })
}

/**
 * Sets the next event of a webhook: backwards to deliver events again, forwards to skip some. Throws 400 beyond the end
 * of the stream.
 */
export function replayFrom(app: App, webhook: Document<WebhookDoc>, from: number): Promise<Document<WebhookDoc>> {
  return change(app, webhook, async (tx, stored) => {
    const next = await nextSequence(tx, stored.organization)
    if (from > next)
      throw badRequest(
        `The position is beyond the end of the stream. The next event of the organization will be ${next}.`,
        [{ path: '/from', message: `must be at most ${next}` }],
      )
    return { ...stored, next: from }
  })
}

/** Removes a webhook with its deliveries. */
export async function deleteWebhook(app: App, webhook: WebhookDoc): Promise<void> {
  await app.store.transact(async (tx) => {
    for (const doc of await tx.find(deliveries, 'webhook', webhook.id)) await tx.remove(deliveries, doc.id)
    await tx.remove(webhooks, webhook.id)
  })
}
