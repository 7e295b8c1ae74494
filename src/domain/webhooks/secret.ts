// Creates and unseals the secrets that sign webhook deliveries.
import { newWebhookSecret, seal, unseal } from '../../auth/index.js'
import type { WebhookDoc } from '../../model/index.js'
import type { App } from '../context/app.js'

/** Binds a sealed secret to its webhook, so that it cannot be unsealed for another one. */
const sealContext = (webhook: string): string => `webhook:${webhook}`

/** Creates a secret for a webhook, sealed for storing. */
export const newSealedSecret = (app: App, webhook: string): string =>
  seal(app.settings.signingKey, sealContext(webhook), newWebhookSecret())

/** Unseals the secret of a webhook. Null if the signing key of the service was replaced. Never log it. */
export const webhookSecretOf = (
  app: App,
  { id, sealedSecret }: Pick<WebhookDoc, 'id' | 'sealedSecret'>,
): string | null => unseal(app.settings.signingKey, sealContext(id), sealedSecret)

/**
 * Returns the secrets that sign deliveries at a time, the current one first. Empty if the signing key of the service
 * was replaced.
 */
export function signingSecrets(app: App, webhook: WebhookDoc, at: Date): string[] {
  const { previousSecret: previous } = webhook
  const before =
    previous && previous.until > at.toISOString() ? [{ id: webhook.id, sealedSecret: previous.sealed }] : []
  return [webhook, ...before].map((one) => webhookSecretOf(app, one)).filter((secret) => secret !== null)
}
