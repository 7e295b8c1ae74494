// Collects the metrics that `/metrics` shows.
import { setTimeout as wait } from 'node:timers/promises'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/**
 * The metrics of the service: requests by operation and status, durations, the process, event loop lag, and values of
 * other modules.
 */
export interface Metrics {
  /** Records one response; `seconds` is the time since the request arrived. */
  observe(operation: string, status: number, seconds: number): void
  /** Adds a gauge whose value is read on demand. If the read fails, the gauge has no value. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void
  /** Adds a gauge with one value per value of a label. The label's values must come from a fixed set. */
  gauges(name: string, help: string, label: string, read: () => Promise<Readonly<Record<string, number>>>): void
  /** Adds a counter whose value is read on demand. */
  counter(name: string, help: string, read: () => number): void
  /** Returns the text exposition. */
  render(): Promise<{ contentType: string; text: string }>
}

/** Number of requests that are counted together. A batch takes much less time than separate counts. */
const MAX_UNCOUNTED = 500

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

interface Observed {
  operation: string
  status: number
  seconds: number
}

/** Counts requests and measures their durations in batches. `countAll` processes the pending batch. */
function requestMetrics(registry: Registry): Pick<Metrics, 'observe'> & { countAll(): void } {
  const requests = new Counter({
    name: 'bindery_http_requests_total',
    help: 'Responses sent',
    labelNames: ['operation', 'status'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'bindery_http_request_duration_seconds',
    help: 'Time from the request to the response',
    labelNames: ['operation'],
    buckets: SECONDS,
    registers: [registry],
  })
  // prom-client sorts and joins the labels at every call. Its children do so only once.
  const counters = new Map<string, ReturnType<typeof requests.labels>>()
  const timers = new Map<string, ReturnType<typeof durations.labels>>()
  const count = ({ operation, status, seconds }: Observed): void => {
    const key = `${operation} ${status}`
    let counter = counters.get(key)
    if (!counter) counters.set(key, (counter = requests.labels(operation, String(status))))
    counter.inc()
    let timer = timers.get(operation)
    if (!timer) timers.set(operation, (timer = durations.labels(operation)))
    timer.observe(seconds)
  }
  // bound: MAX_UNCOUNTED
  let uncounted: Observed[] = []
  const countAll = (): void => {
    for (const observed of uncounted) count(observed)
    uncounted = []
  }
  return {
    observe(operation, status, seconds) {
      uncounted.push({ operation, status, seconds })
      if (uncounted.length >= MAX_UNCOUNTED) countAll()
    },
    countAll,
  }
}

/** Maximum time to read a value, in milliseconds. */
const MAX_READ_MS = 2_000

/**
 * Reads a value. Returns null if that fails or takes too long, so that an unreachable database does not hide the other
 * metrics.
 */
async function readable<T>(read: () => Promise<T>): Promise<T | null> {
  const over = new AbortController()
  try {
    return await Promise.race([read(), wait(MAX_READ_MS, null, { signal: over.signal })])
  } catch {
    return null
  } finally {
    over.abort()
  }
}

/** Creates the metrics. `registry` may contain others. */
export function createMetrics(registry = new Registry()): Metrics {
  collectDefaultMetrics({ register: registry })
  const { observe, countAll } = requestMetrics(registry)
  return {
    observe,
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          const value = await readable(async () => read())
          if (value === null) this.remove()
          else this.set(value)
        },
      })
    },
    gauges(name, help, label, read) {
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers: [registry],
        async collect() {
          this.reset()
          for (const [key, value] of Object.entries((await readable(read)) ?? {})) this.set({ [label]: key }, value)
        },
      })
    },
    counter(name, help, read) {
      new Counter({
        name,
        help,
        registers: [registry],
        collect() {
          this.reset()
          this.inc(read())
        },
      })
    },
    async render() {
      countAll()
      return { contentType: registry.contentType, text: await registry.metrics() }
    },
  }
}
