/** Groups events by the moment at which the event loop received them from the system. */
import { performance } from 'node:perf_hooks'

let begun = 0

/**
 * The batch of events that is being processed: those that the event loop received from the system in one call. A request
 * is in a batch only if it had started to arrive by then. Whatever is read while a batch is processed is therefore new
 * enough for all of its requests.
 */
export const arrivals = {
  /** The number of the batch. It only grows. */
  get version(): number {
    const { loopCount, events } = performance.nodeTiming.uvMetricsInfo
    return loopCount + events + begun
  },

  /** Begins another batch, for a request that may have arrived later than the others. */
  begin(): void {
    begun++
  },
}
