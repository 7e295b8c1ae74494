/** Computes the retry delays of failed deliveries and the limit for failing webhooks. */
import { backOff } from '../../kernel/back-off.js'

const SECOND = 1000
const HOUR = 60 * 60 * SECOND

const RETRY = { firstMs: 5 * SECOND, maxMs: 12 * HOUR, factor: 4 }
/** Number of attempts: the first and twelve retries after 5 s, 20 s, 80 s … 12 h, together about three days. */
const MAX_ATTEMPTS = 13
/** Random variation of each delay, so that deliveries that failed together are not retried together. */
const JITTER = 0.2

/** Maximum time in milliseconds that an endpoint may fail before its webhook is disabled. */
export const PATIENCE_MS = 3 * 24 * HOUR

/**
 * Returns the delay before the next attempt in milliseconds. Null = no further attempt.
 * @param attempts number of failed attempts
 * @param asked delay from `Retry-After`, respected up to the maximum delay
 * @param random 0 to 1
 */
export function retryDelay(attempts: number, asked = 0, random = Math.random()): number | null {
  if (attempts >= MAX_ATTEMPTS) return null
  const delay = backOff(attempts, RETRY)
  return Math.round(Math.max(delay * (1 - JITTER + 2 * JITTER * random), Math.min(asked, RETRY.maxMs)))
}

/** Parses a `Retry-After` header (seconds or a date) into milliseconds. 0 if it is absent or invalid. */
export function retryAfter(header: string | undefined, now: Date): number {
  if (header === undefined) return 0
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * SECOND
  const until = Date.parse(header)
  return Number.isNaN(until) ? 0 : Math.max(0, until - now.getTime())
}
