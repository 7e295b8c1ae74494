/** Writes the access log line, the measurement and the name in traces of each request after its response is complete. */
import type { Log } from '../../kernel/log.js'
import { currentTracing } from '../../kernel/traces.js'
import type { Metrics } from './metrics.js'

/** Longer path segments are texts or signatures, not IDs, and are not logged. */
const MAX_SEGMENT = 64

/** A finished request, as the access log records it. */
export interface ServedRequest {
  requestId: string
  method: string
  /** As `loggedPath` returns it. */
  path: string
  operation: string
  status: number
  /** Arrival time, from `performance.now()`. */
  started: number
  caller: string | null
  ip: string
}

/** Returns the path without segments that may be secret, such as texts and signatures. The query is never logged. */
export const loggedPath = (path: string): string =>
  path.length <= MAX_SEGMENT
    ? path
    : path
        .split('/')
        .map((segment) => (segment.length > MAX_SEGMENT ? '…' : segment))
        .slice(0, 30)
        .join('/')

/** Returns the function that logs and measures a request. */
export const accessLog =
  (log: Log, metrics: Metrics) =>
  ({ requestId, method, path, operation, status, started, caller, ip }: ServedRequest): void => {
    const ms = performance.now() - started
    metrics.observe(operation, status, ms / 1000)
    currentTracing()?.nameRequest(
      `${method} ${operation}`,
      { 'http.request.method': method, 'http.response.status_code': status, 'bindery.request_id': requestId },
      status >= 500,
    )
    log.later(
      () => ({ requestId, method, path, operation, status, ms: Math.round(ms * 100) / 100, caller, ip }),
      'request',
    )
  }
