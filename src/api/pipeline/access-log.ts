/** What is told of every request when its response is known: one line of the log and one measurement. */
import type { Log } from '../../kernel/log.js'
import type { Metrics } from './metrics.js'

/** Longer path segments are no IDs but texts or signatures: they are not logged. */
const MAX_SEGMENT = 64

/** A request, as the log names it. */
export interface Served {
  requestId: string
  method: string
  /** As `loggedPath` returns it. */
  path: string
  operation: string
  status: number
  /** When it arrived, by `performance.now()`. */
  started: number
  caller: string | null
  ip: string
}

/** The path without what may be secret: texts and signatures. The query is never logged. */
export const loggedPath = (path: string): string =>
  path.length <= MAX_SEGMENT
    ? path
    : path
        .split('/')
        .map((segment) => (segment.length > MAX_SEGMENT ? '…' : segment))
        .slice(0, 30)
        .join('/')

/** The function that writes the line and measures. */
export const accessLog =
  (log: Log, metrics: Metrics) =>
  ({ requestId, method, path, operation, status, started, caller, ip }: Served): void => {
    const ms = performance.now() - started
    metrics.observe(operation, status, ms / 1000)
    log.later(
      () => ({ requestId, method, path, operation, status, ms: Math.round(ms * 100) / 100, caller, ip }),
      'request',
    )
  }
