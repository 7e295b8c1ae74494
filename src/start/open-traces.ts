/**
 * Sends traces to an OpenTelemetry collector, if the environment names one. The variables are those of OpenTelemetry, so
 * that an admin sets them once for all services.
 */
import { setTimeout } from 'node:timers/promises'
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Log } from '../kernel/log.js'
import { type Tracing, useTracing } from '../kernel/traces.js'

/** Maximum time for the last spans when the server stops, in milliseconds. A collector may be gone. */
const FLUSH_MS = 2_000
/** Minimum time between two warnings about a collector that does not respond, in milliseconds. */
const WARN_MS = 60_000

const getter = {
  keys: (headers: Record<string, unknown>) => Object.keys(headers),
  get: (headers: Record<string, unknown>, name: string) => {
    const value = headers[name]
    return typeof value === 'string' ? value : undefined
  },
}

interface TracesOptions {
  /** The URL of the collector, without `/v1/traces`. */
  url: string
  /** The share of traces to record, from 0 to 1. A caller's own decision comes first. */
  share: number
  /** The version of the server. */
  version: string
  log: Log
}

/** Starts sending the traces of this process. Returns the function that sends the last ones and stops. */
export function openTraces({ url, share, version, log }: TracesOptions): () => Promise<void> {
  let warnedAt = Number.NEGATIVE_INFINITY
  const warn = (error: unknown): void => {
    if (performance.now() - warnedAt < WARN_MS) return
    warnedAt = performance.now()
    log.warn({ error }, 'Traces could not be sent. The server works without. Check OTEL_EXPORTER_OTLP_ENDPOINT.')
  }
  setGlobalErrorHandler(warn)
  const exporter = new OTLPTraceExporter({
    url: `${url.replace(/\/+$/, '')}/v1/traces`,
    // Collectors close idle connections after as many seconds as there are between two exports. An export on a connection
    // that is just being closed would be lost.
    httpAgentOptions: { keepAlive: false },
  })
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'bindery', 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    // Its queue is limited. While the collector does not respond, spans are dropped.
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  const contexts = new AsyncLocalStorageContextManager().enable()
  useTracing(new Recorder(provider, contexts, version))
  return async () => {
    useTracing(null)
    await provider.forceFlush({ timeoutMillis: FLUSH_MS }).catch(warn)
    // The provider does not wait for the export that its timer has just started.
    await Promise.race([exporter.forceFlush(), setTimeout(FLUSH_MS)])
    contexts.disable()
  }
}

class Recorder implements Tracing {
  readonly #propagator = new W3CTraceContextPropagator()
  readonly #tracer
  readonly #requests = new WeakSet<Span>()

  constructor(
    provider: TracerProvider,
    private readonly contexts: AsyncLocalStorageContextManager,
    version: string,
  ) {
    this.#tracer = provider.getTracer('bindery', version)
  }

  readonly request: Tracing['request'] = (headers, closed, work) => {
    const caller = this.#propagator.extract(ROOT_CONTEXT, headers, getter)
    const span = this.#tracer.startSpan('request', { kind: SpanKind.SERVER }, caller)
    this.#requests.add(span)
    closed(() => span.end())
    this.contexts.with(trace.setSpan(caller, span), work)
  }

  readonly nameRequest: Tracing['nameRequest'] = (name, attributes, isFailure) => {
    const span = trace.getSpan(this.#active)
    if (span === undefined || !this.#requests.has(span)) return
    span.updateName(name).setAttributes(attributes)
    if (isFailure) span.setStatus({ code: SpanStatusCode.ERROR })
  }

  readonly begin: Tracing['begin'] = (name, attributes) => {
    const span = this.#tracer.startSpan(name, { attributes }, this.#active)
    return { end: (more, error) => finish(span, more, error) }
  }

  readonly within: Tracing['within'] = async (name, attributes, work) => {
    const span = this.#tracer.startSpan(name, { attributes }, this.#active)
    try {
      const result = await this.contexts.with(trace.setSpan(this.#active, span), work)
      finish(span)
      return result
    } catch (error) {
      finish(span, {}, error instanceof Error ? error.name : 'failed')
      throw error
    }
  }

  get #active(): Context {
    return this.contexts.active()
  }
}

function finish(span: Span, attributes: Attributes = {}, error?: string): void {
  span.setAttributes(attributes)
  if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error })
  span.end()
}
