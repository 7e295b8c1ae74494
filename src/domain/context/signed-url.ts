/** Signs URLs that work without a token for one to two days. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { fromTime } from '../../kernel/clock.js'
import type { App } from './app.js'

/**
 * Expiry times are rounded up to multiples of this, so that responses with URLs and their ETags do not change for a
 * day.
 */
const GRID_MS = 24 * 60 * 60 * 1000

/** Returns the expiry of a URL that is created now, in seconds since 1970. */
export const expiryOf = ({ clock }: Pick<App, 'clock'>): number =>
  (fromTime(clock, 'day', (now) => Math.floor(now / GRID_MS)) + 2) * (GRID_MS / 1000)

/** Signs the parts of a URL. The parts contain no line ends. */
export const signatureOf = (app: Pick<App, 'settings'>, parts: readonly string[], expires: number): string =>
  createHmac('sha256', app.settings.signingKey)
    .update([...parts, expires].join('\n'))
    .digest('base64url')

/** Whether the signature is valid and has not expired. */
export function isSigned(app: App, parts: readonly string[], expires: number, signature: string): boolean {
  const expected = Buffer.from(signatureOf(app, parts, expires))
  const given = Buffer.from(signature)
  return (
    given.length === expected.length && timingSafeEqual(given, expected) && expires * 1000 > app.clock.now().getTime()
  )
}
