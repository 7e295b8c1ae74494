/**
 * Traces of the work of this process: requests, jobs and Git processes. Off until `serve` starts an exporter, and then
 * without texts, paths, addresses and people.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Attributes } from '@opentelemetry/api'

/** A running span. */
export interface RunningSpan {
  /** Ends the span. An error is the reason of a failure, in the words of the code, not of a user. */
  end(attributes?: Attributes, error?: string): void
}

/** Records spans. `openTraces` provides it. */
export interface Tracing {
  /** Runs work in a span of a request; the caller's span is in the headers (W3C Trace Context). `closed` ends it. */
  request(headers: IncomingHttpHeaders, closed: (end: () => void) => void, work: () => void): void
  /** Names the span of the request that runs now, and sets its attributes. */
  nameRequest(name: string, attributes: Attributes, isFailure: boolean): void
  /** Starts a span below the one that runs now. */
  begin(name: string, attributes: Attributes): RunningSpan
  /** Runs work in a span below the one that runs now. */
  within<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T>
}

let tracing: Tracing | null = null

/** Sets what records the spans of this process; null = nothing. */
export function useTracing(value: Tracing | null): void {
  tracing = value
}

/** Returns what records the spans of this process; null = nothing. */
export const currentTracing = (): Tracing | null => tracing
