import { type Span as OtelSpan, ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api'
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Log } from '../../runtime/ports/log.ts'
import type { Outbound } from '../../runtime/ports/outbound.ts'
import type { Span, Tracer } from '../../runtime/ports/tracer.ts'

export interface TracerSettings {
  /** URL of the collector or of its traces endpoint. */
  endpoint: string
  headers: Record<string, string>
  /** Name of this daemon in traces. */
  service: string
  version: string
  outbound: Outbound
  log: Log
}

export interface OtlpTracer extends Tracer {
  /** Sends the remaining spans. Those that the collector has not accepted within a second are lost. */
  close(): Promise<void>
}

/** Time limit of a request to the collector, in milliseconds. */
const timeout = 5_000
/** Time limit of all requests while the daemon stops, in milliseconds. */
const closeTimeout = 1_000

/** Sends batches of spans to a collector as OTLP/JSON over HTTP. A collector that is down delays nothing. */
export function createTracer(settings: TracerSettings): OtlpTracer {
  const own = { 'service.name': settings.service, 'service.version': settings.version }
  const exporter = new OutboundExporter(settings)
  const provider = new TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes(own)),
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: timeout, maxQueueSize: 2_048 })],
  })
  const tracer = provider.getTracer('hearthd', settings.version)
  return {
    start(name, parent, attributes) {
      const above = parent instanceof StartedSpan ? trace.setSpan(ROOT_CONTEXT, parent.span) : ROOT_CONTEXT
      return new StartedSpan(tracer.startSpan(name, { attributes }, above))
    },
    async close() {
      const limit = setTimeout(() => exporter.abort(), closeTimeout)
      await provider.shutdown().catch(() => undefined)
      clearTimeout(limit)
    },
  }
}

class StartedSpan implements Span {
  readonly span: OtelSpan

  constructor(span: OtelSpan) {
    this.span = span
  }

  set(attributes: Parameters<Span['set']>[0]): void {
    this.span.setAttributes(attributes)
  }

  fail(error: string): void {
    this.span.setStatus({ code: SpanStatusCode.ERROR, message: error })
    this.span.setAttribute('error.type', error)
  }

  end(error?: string): void {
    if (error !== undefined) this.fail(error)
    this.span.end()
  }
}

/** `https://collector:4318` → `https://collector:4318/v1/traces`, as in the OpenTelemetry specification. */
function tracesUrl(endpoint: string): URL {
  const url = new URL(endpoint)
  if (!url.pathname.endsWith('/v1/traces')) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`
  return url
}

/** Sends through the guard for outgoing requests; the operator's collector may be on a private network. */
class OutboundExporter implements SpanExporter {
  readonly #settings: TracerSettings
  readonly #url: URL
  #failing = false
  readonly #aborted = new AbortController()

  constructor(settings: TracerSettings) {
    this.#settings = settings
    this.#url = tracesUrl(settings.endpoint)
  }

  export(spans: ReadableSpan[], done: Parameters<SpanExporter['export']>[1]): void {
    this.#send(spans).then(
      () => done({ code: 0 }),
      (error: Error) => done({ code: 1, error }),
    )
  }

  async #send(spans: ReadableSpan[]): Promise<void> {
    const { headers, outbound, log } = this.#settings
    try {
      const response = await outbound.fetch(
        this.#url,
        {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JsonTraceSerializer.serializeRequest(spans) as Uint8Array<ArrayBuffer>,
          signal: AbortSignal.any([AbortSignal.timeout(timeout), this.#aborted.signal]),
        },
        { trusted_origins: [this.#url.origin], max_redirects: 0 },
      )
      await response.body?.cancel()
      if (!response.ok) throw new Error(`The collector returned ${response.status}`)
      this.#failing = false
    } catch (thrown) {
      // Log only the first failure in a row: there is a batch every few seconds.
      if (!this.#failing) log.write('warn', 'cannot send traces to the collector', { cause: thrown })
      this.#failing = true
      throw thrown
    }
  }

  /** Ends the current request and refuses all later ones. */
  abort(): void {
    this.#aborted.abort(new Error('hearthd stopped before the collector responded'))
  }

  async shutdown(): Promise<void> {}
}
