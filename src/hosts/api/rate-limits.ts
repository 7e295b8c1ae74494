/** What hosts say about being asked too often, and until when which credential is not to ask again. */
import { LRUCache } from 'lru-cache'
import { HostError } from '../types.js'

/** Credentials whose waits are known at a time. */
const MAX_WAITS = 1000
/** A host that says nothing is asked again after a minute, as GitHub wants it; one that says more than an hour, after an hour. */
const DEFAULT_MS = 60_000
const MAX_MS = 60 * 60_000

type Headers = Readonly<Record<string, string>>

/** Waits by credential. */
export class RateLimits {
  readonly #until = new LRUCache<string, number>({ max: MAX_WAITS })

  constructor(private readonly now: () => Date) {}

  /** Throws `HostError` (`rateLimited`) while the credential has to wait: a host that is asked all the same may block it. */
  check(key: string, host: string): void {
    const until = this.#until.get(key)
    if (until !== undefined && until > this.now().getTime()) throw limited(host, new Date(until))
  }

  /** Notes a refusal, and returns it as an error. */
  refused(key: string, host: string, headers: Headers): HostError {
    const until = retryAt(headers, this.now())
    this.#until.set(key, until.getTime())
    return limited(host, until)
  }
}

const limited = (host: string, until: Date): HostError =>
  new HostError('rateLimited', `${host} got too many requests. The next one is sent at ${until.toISOString()}.`, until)

/** Whether a response means "not now": GitHub answers 403 to it as well. */
export function isRateLimit(status: number, headers: Headers, words: string): boolean {
  if (status === 429) return true
  if (status !== 403) return false
  return headers['x-ratelimit-remaining'] === '0' || headers['retry-after'] !== undefined || /rate limit/i.test(words)
}

function retryAt(headers: Headers, now: Date): Date {
  const bounded = (ms: number): Date => new Date(now.getTime() + Math.min(MAX_MS, Math.max(1000, ms)))
  const after = headers['retry-after']?.trim()
  if (after !== undefined && /^\d{1,9}$/.test(after)) return bounded(Number(after) * 1000)
  if (after !== undefined && !Number.isNaN(Date.parse(after))) return bounded(Date.parse(after) - now.getTime())
  const used = headers['x-ratelimit-remaining'] === '0' ? headers['x-ratelimit-reset'] : undefined
  const reset = used ?? headers['ratelimit-reset']
  if (reset !== undefined && /^\d{9,11}$/.test(reset)) return bounded(Number(reset) * 1000 - now.getTime())
  return bounded(DEFAULT_MS)
}
