/** Interprets rate limit responses of hosts, and stores until when a credential must wait. */
import { LRUCache } from 'lru-cache'
import { HostError } from '../types.js'

/** Maximum number of credentials whose waits are stored. */
const MAX_WAITS = 1000
/** The wait if the host gives no time (as GitHub requires), and the maximum wait. */
const DEFAULT_MS = 60_000
const MAX_MS = 60 * 60_000

type Headers = Readonly<Record<string, string>>

/** The waits by credential. */
export class RateLimits {
  readonly #until = new LRUCache<string, number>({ max: MAX_WAITS })

  constructor(private readonly now: () => Date) {}

  /**
   * Throws `HostError` (`rateLimited`) while the credential must wait. A host may block a client that ignores the
   * limit.
   */
  check(key: string, host: string): void {
    const until = this.#until.get(key)
    if (until !== undefined && until > this.now().getTime()) throw limited(host, new Date(until))
  }

  /** Stores the wait from a rate limit response, and returns the error. */
  refused(key: string, host: string, headers: Headers): HostError {
    const until = retryAt(headers, this.now())
    this.#until.set(key, until.getTime())
    return limited(host, until)
  }
}

const limited = (host: string, until: Date): HostError =>
  new HostError('rateLimited', `${host} received too many requests. Try again at ${until.toISOString()}.`, until)

/** Whether a response is a rate limit. GitHub also uses status 403 for it. */
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
