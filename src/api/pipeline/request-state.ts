// The state of a request while it goes through the pipeline, and its ID.
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Evidence } from '../../kernel/recording.js'
import type { Renewable } from './renew-response.js'
import type { ResponseHold } from './response-hold.js'
import type { RateLimitHeaders } from './rate-limit.js'

/** What the pipeline keeps of a request between its steps. */
export interface RequestState {
  id: string
  /** operationId, or what the pipeline did itself: `unknown`, `preflight`. */
  operation: string
  /** Who asked (`actorKey`), when known. */
  caller: string | null
  /** What is left of the narrowest limit that was counted. */
  limit: RateLimitHeaders | null
  /** What its response holds of the budget of all responses. */
  response: ResponseHold
  /** What the response was made from, if it may be kept. */
  evidence: Evidence | null
  /** The tag that its validator gives it, without the coding. */
  tag: string
  /** How what is kept of it may be made anew. */
  renewable: Renewable | null
}

/** A random start per process and a number: unique without asking the system for randomness at each request. */
const PREFIX = randomBytes(8).toString('hex')
let made = 0

const SANE_ID = /^[\w.:-]{8,64}$/

/** The ID that a proxy or client gave, if it is fit for a log line, otherwise a new one. */
export function requestId(req: IncomingMessage): string {
  const given = req.headers['x-request-id']
  return typeof given === 'string' && SANE_ID.test(given) ? given : `${PREFIX}-${(++made).toString(36)}`
}
