import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/** What /metrics shows: requests by operation and status, durations, the process, the event loop's lag, and gauges of others. */
export interface Metrics {
  /** One request got its response; `seconds` since its arrival. */
  observe(operation: string, status: number, seconds: number): void
  /** Adds a gauge that is read when asked for. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void
  /** Adds a counter whose value is read when asked for. */
  counter(name: string, help: string, read: () => number): void
  /** The text exposition. */
  render(): Promise<{ contentType: string; text: string }>
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Makes the metrics, with a registry of their own, so that two services in one process do not meet. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
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
  return {
    observe(operation, status, seconds) {
      const key = `${operation} ${status}`
      let counter = counters.get(key)
      if (!counter) counters.set(key, (counter = requests.labels(operation, String(status))))
      counter.inc()
      let timer = timers.get(operation)
      if (!timer) timers.set(operation, (timer = durations.labels(operation)))
      timer.observe(seconds)
    },
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          this.set(await read())
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
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  }
}
