import { LRUCache } from 'lru-cache'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { ServiceError } from '../../kernel/errors.js'

const WINDOW_SECONDS = 60
/** Keys that are counted at a time: of more, the one that was silent for the longest begins anew. */
const MOST_KEYS = 50_000

/** Counts a request under a key; returns the headers to send, or throws 429 with them. */
export type RateLimit = (key: string) => Promise<RateLimitHeaders>

export type RateLimitHeaders = { 'RateLimit-Policy': string; RateLimit: string }

/** A limit of `perMinute` requests per key, named in the headers (RateLimit header fields for HTTP); null = no limit. */
export function rateLimit(name: string, perMinute: number): RateLimit | null {
  if (perMinute <= 0) return null
  const limiter = new RateLimiterMemory({ keyPrefix: name, points: perMinute, duration: WINDOW_SECONDS })
  const keys = new LRUCache<string, true>({ max: MOST_KEYS, dispose: (_, key, reason) => reason === 'evict' && void limiter.delete(key) })
  const policy = `"${name}";q=${perMinute};w=${WINDOW_SECONDS}`
  const headers = (state: RateLimiterRes): RateLimitHeaders => ({
    'RateLimit-Policy': policy,
    RateLimit: `"${name}";r=${Math.max(0, state.remainingPoints)};t=${Math.ceil(state.msBeforeNext / 1000)}`,
  })
  return async (key) => {
    keys.set(key, true)
    try {
      return headers(await limiter.consume(key))
    } catch (thrown) {
      if (thrown instanceof Error) throw thrown
      const state = thrown as RateLimiterRes
      const seconds = String(Math.max(1, Math.ceil(state.msBeforeNext / 1000)))
      throw new ServiceError('too-many-requests', `Too many requests: at most ${perMinute} per minute. Try again in ${seconds} s.`, {
        headers: { ...headers(state), 'Retry-After': seconds },
      })
    }
  }
}
