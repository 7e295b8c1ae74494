// Collects what `/metrics` shows.
import { setTimeout as wait } from 'node:timers/promises'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/** What /metrics shows: requests by operation and status, durations, the process, the event loop's lag, and gauges of others. */
export interface Metrics {
  /** One request got its response; `seconds` since its arrival. */
  observe(operation: string, status: number, seconds: number): void
  /** Adds a gauge that is read when asked for. If it cannot be read, it has no value. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void
  /** Adds a gauge for each value of a label. The label's values must come from a fixed set. */
  gauges(name: string, help: string, label: string, read: () => Promise<Readonly<Record<string, number>>>): void
  /** Adds a counter whose value is read when asked for. */
  counter(name: string, help: string, read: () => number): void
  /** The text exposition. */
  render(): Promise<{ contentType: string; text: string }>
}

/** So many requests are counted at a time: in a row they take much less time than each at its own moment. */
const MAX_UNCOUNTED = 500

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

interface Observed {
  operation: string
  status: number
  seconds: number
}

/** Counts requests and measures their time, many in a row. `countAll` counts what was observed since. */
function requestMetrics(registry: Registry): Pick<Metrics, 'observe'> & { countAll(): void } {
  const requests = new Counter({
    name: 'bindery_http_requests_total',
    help: 'Responses sent',
    labelNames: ['operation', 'status'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'bindery_http_request_duration_seconds',
    help: 'Time to the response',
    labelNames: ['operation'],
    buckets: SECONDS,
    registers: [registry],
  })
  // prom-client sorts and joins labels at every call; its children have done so once
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

/** Reads a value. Returns null if that fails or takes too long: a database that is away must not take the other metrics with it. */
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

/** Makes the metrics. `registry` may hold further ones. */
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
