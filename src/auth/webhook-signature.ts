// Signs webhooks according to the Standard Webhooks specification (https://www.standardwebhooks.com), for which
// receivers find a library in nearly all languages.
import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'

/** Returns a new signing secret: 256 random bits. */
export const newWebhookSecret = (): string => PREFIX + randomBytes(32).toString('base64')

/**
 * Returns the value of `webhook-signature`: one signature per secret. `seconds` since 1970 is the value of
 * `webhook-timestamp`.
 */
export function signWebhook(secrets: readonly string[], id: string, seconds: number, body: string): string {
  const sign = (secret: string): string =>
    createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
      .update(`${id}.${seconds}.${body}`)
      .digest('base64')
  return secrets.map((secret) => `v1,${sign(secret)}`).join(' ')
}
