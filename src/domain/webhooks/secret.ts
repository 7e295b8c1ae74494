// The secrets that deliveries of webhooks are signed with.
import { newWebhookSecret, seal, unseal } from '../../auth/index.js'
import type { WebhookDoc } from '../../model/index.js'
import type { App } from '../context/app.js'

/** Binds a sealed secret to its webhook: it cannot be unsealed for another one. */
const sealContext = (webhook: string): string => `webhook:${webhook}`

/** A new secret for a webhook, sealed for storing. */
export const newSealedSecret = (app: App, webhook: string): string =>
  seal(app.settings.signingKey, sealContext(webhook), newWebhookSecret())

/** The secret of a webhook, or null if the signing key of the service was replaced since. Never log it. */
export const webhookSecretOf = (
  app: App,
  { id, sealedSecret }: Pick<WebhookDoc, 'id' | 'sealedSecret'>,
): string | null => unseal(app.settings.signingKey, sealContext(id), sealedSecret)

/** The secrets that sign deliveries at a time, the current one first; none if the signing key of the service was replaced since. */
export function signingSecrets(app: App, webhook: WebhookDoc, at: Date): string[] {
  const { previousSecret: previous } = webhook
  const before =
    previous && previous.until > at.toISOString() ? [{ id: webhook.id, sealedSecret: previous.sealed }] : []
  return [webhook, ...before].map((one) => webhookSecretOf(app, one)).filter((secret) => secret !== null)
}
