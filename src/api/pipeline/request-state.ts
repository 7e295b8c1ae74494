// The state of a request in the pipeline, and its ID.
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { RecordedReads } from '../../kernel/recording.js'
import type { RenewalData } from './renew-response.js'
import type { ResponseMemory } from './response-hold.js'
import type { RateLimitHeaders } from './rate-limit.js'

/** The data that the steps of the pipeline share for one request. */
export interface RequestState {
  id: string
  /** The operationId, or the pipeline's own operation: `unknown`, `preflight`. */
  operation: string
  /** The caller (`actorKey`), when known. */
  caller: string | null
  /** Headers of the strictest rate limit that counted the request. */
  limit: RateLimitHeaders | null
  /** The memory that the response uses from the budget of all responses. */
  response: ResponseMemory
  /** The reads that the response depends on, if it may be cached. */
  reads: RecordedReads | null
  /** The tag from the validator, without the coding. */
  tag: string
  /** The data to renew the cached response. */
  renewable: RenewalData | null
}

/** A random prefix per process and a counter: unique without system randomness for each request. */
const PREFIX = randomBytes(8).toString('hex')
let made = 0

const SANE_ID = /^[\w.:-]{8,64}$/

/** Returns the ID from the proxy or client if it is safe for a log line, otherwise a new one. */
export function requestId(req: IncomingMessage): string {
  const given = req.headers['x-request-id']
  return typeof given === 'string' && SANE_ID.test(given) ? given : `${PREFIX}-${(++made).toString(36)}`
}
