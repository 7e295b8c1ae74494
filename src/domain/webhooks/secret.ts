import { newWebhookSecret, seal, unseal } from '../../auth/index.js'
import type { WebhookDoc } from '../../model/index.js'
import type { App } from '../context/app.js'

const placeOf = (webhook: string): string => `webhook:${webhook}`

/** A new secret of a webhook, as it is stored. */
export const newSealedSecret = (app: App, webhook: string): string => seal(app.settings.signingKey, placeOf(webhook), newWebhookSecret())

/** The secret of a webhook, or null where the signing key of the service was replaced since. Never to be logged. */
export const webhookSecretOf = (app: App, { id, sealedSecret }: Pick<WebhookDoc, 'id' | 'sealedSecret'>): string | null =>
  unseal(app.settings.signingKey, placeOf(id), sealedSecret)

/** The secrets that sign at a time, the present one first; none where the signing key of the service was replaced since. */
export function signingSecrets(app: App, webhook: WebhookDoc, at: Date): string[] {
  const { previousSecret: previous } = webhook
  const before = previous && previous.until > at.toISOString() ? [{ id: webhook.id, sealedSecret: previous.sealed }] : []
  return [webhook, ...before].map((one) => webhookSecretOf(app, one)).filter((secret) => secret !== null)
}
