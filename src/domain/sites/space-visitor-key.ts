// Derives the key that authenticates a space's visitors.
import { deriveVisitorKey } from '../../auth/index.js'
import type { App } from '../context/app.js'

/**
 * Returns the key that signs the tokens of a space's visitors (HS256). It is derived from the service's signing key.
 * Never log it.
 */
export const visitorKeyOfSpace = (app: Pick<App, 'settings'>, space: string): string =>
  deriveVisitorKey(app.settings.signingKey, `space:${space}`)
