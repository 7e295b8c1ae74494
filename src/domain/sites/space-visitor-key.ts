// Derives the key by which a space's visitors are known.
import { deriveVisitorKey } from '../../auth/index.js'
import type { App } from '../context/app.js'

/** The key that signs the tokens of a space's visitors (HS256). It follows from the service's signing key. Never log it. */
export const visitorKeyOfSpace = (app: Pick<App, 'settings'>, space: string): string =>
  deriveVisitorKey(app.settings.signingKey, `space:${space}`)
