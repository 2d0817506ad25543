import {
  type Attributes,
  type HrTime,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
  ValueType,
} from '@opentelemetry/api'
import { SeverityNumber } from '@opentelemetry/api-logs'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchLogRecordProcessor, LoggerProvider, type LogRecordExporter } from '@opentelemetry/sdk-logs'
import {
  AggregationType,
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base'
import type { Attributes as StoredAttributes } from '../server/domain/attributes.ts'
import type { Exporters } from './exporters.ts'

const SCOPE = ['shop-library', '3.4'] as const
const MINUTE_S = 60
const START_S = Math.floor(Date.now() / 1000) - MINUTE_S

/** A minute ago and some, to the nanosecond. */
export function at(ms: number, ns = 0): HrTime {
  return [START_S, ms * 1_000_000 + ns]
}

export function nsOf([seconds, nanoseconds]: HrTime): bigint {
  return BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds)
}

export const TEXT = 'naïve "quotes" \\ \n 漢字 😀 مرحبا'

/** Each type that an attribute of the SDK may have. */
export const ATTRIBUTES: Attributes = {
  text: TEXT,
  'ключ 🔑': 'a key in unicode',
  blank: '',
  integer: -42,
  zero: 0,
  big: 2 ** 60,
  double: 0.1,
  tiny: 5e-324,
  yes: true,
  no: false,
  texts: ['a', TEXT],
  integers: [1, -2],
  doubles: [1.5, 2],
  booleans: [true, false],
  empty: [],
  'service.version': 'of the span',
}

/** As the store keeps them: an integer beyond 2^53 is a text. */
export function storedAttributes(attributes: Attributes): StoredAttributes {
  const exact = ([key, value]: [string, unknown]) => [key, value === ATTRIBUTES['big'] ? '1152921504606846976' : value]
  return Object.fromEntries(Object.entries(attributes).map(exact))
}

/** As answers show them: arrays, too, are texts. */
export const SHOWN_ATTRIBUTES = {
  ...storedAttributes(ATTRIBUTES),
  texts: JSON.stringify(ATTRIBUTES['texts']),
  integers: '[1,-2]',
  doubles: '[1.5,2]',
  booleans: '[true,false]',
  empty: '[]',
}

/** What the SDK makes of the exception that it was given. */
export const EXCEPTION_ATTRIBUTES = {
  'exception.type': 'TypeError',
  'exception.message': 'x is "undefined"',
  'exception.stacktrace': 'TypeError: x\n    at y (z.js:1:2)',
}

export function resourceOf(serviceName: string) {
  return { 'service.name': serviceName, 'service.version': 'of the resource', 'host.cpus': 8, 'host.tags': ['a', 'b'] }
}

export const LINKED: SpanContext = {
  traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16),
  traceFlags: TraceFlags.SAMPLED,
  isRemote: true,
}

export interface SentTrace {
  traceId: string
  root: string
  client: string
  producer: string
  consumer: string
  internal: string
}

/** A trace with a span of each kind; the client's has everything that a span can have. */
export async function sendTrace(exporter: SpanExporter, serviceName: string): Promise<SentTrace> {
  const resource = resourceFromAttributes(resourceOf(serviceName))
  const provider = new BasicTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(exporter)] })
  const tracer = provider.getTracer(...SCOPE)
  const root = tracer.startSpan('GET /käse/{id}', { kind: SpanKind.SERVER, startTime: at(0) })
  const inRoot = trace.setSpan(ROOT_CONTEXT, root)
  const child = (name: string, kind: SpanKind, startTime: HrTime) => tracer.startSpan(name, { kind, startTime }, inRoot)

  const links = [{ context: LINKED, attributes: { why: 'retry', times: 3 } }]
  const client = tracer.startSpan(
    TEXT,
    { kind: SpanKind.CLIENT, startTime: at(10, 1), attributes: ATTRIBUTES, links },
    inRoot,
  )
  client.addEvent('cache miss 💥', { ...ATTRIBUTES }, at(11, 7))
  const exception = { name: 'TypeError', message: 'x is "undefined"', stack: 'TypeError: x\n    at y (z.js:1:2)' }
  client.recordException(exception, at(12, 999_999))
  client.addEvent('nothing more to say', at(13))
  client.setStatus({ code: SpanStatusCode.ERROR, message: 'broke: 漢字' })
  client.end(at(20, 500_001))

  const producer = child('orders publish', SpanKind.PRODUCER, at(20))
  producer.setStatus({ code: SpanStatusCode.OK }).end(at(21))
  const consumer = child('orders process', SpanKind.CONSUMER, at(30))
  consumer.setAttribute('http.response.status_code', 502).setStatus({ code: SpanStatusCode.ERROR }).end(at(35))
  const internal = child('think', SpanKind.INTERNAL, at(40))
  internal.end(at(40))
  root.end(at(100, 499_999))
  await provider.forceFlush()
  await provider.shutdown()
  const idOf = (span: typeof root) => span.spanContext().spanId
  return {
    traceId: root.spanContext().traceId,
    root: idOf(root),
    client: idOf(client),
    producer: idOf(producer),
    consumer: idOf(consumer),
    internal: idOf(internal),
  }
}

/** A log record with everything that one can have, one with nothing, and one whose body is a map. */
async function sendLogs(exporter: LogRecordExporter, serviceName: string, sent: SentTrace): Promise<void> {
  const resource = resourceFromAttributes(resourceOf(serviceName))
  const provider = new LoggerProvider({ resource, processors: [new BatchLogRecordProcessor({ exporter })] })
  const logger = provider.getLogger(...SCOPE)
  const { traceId, client: spanId } = sent
  const context = trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.SAMPLED })
  logger.emit({
    timestamp: at(15, 3),
    observedTimestamp: at(16, 4),
    severityNumber: SeverityNumber.WARN2,
    severityText: 'WARNING',
    body: TEXT,
    attributes: {
      ...ATTRIBUTES,
      map: { inner: [new Uint8Array([1, 2]), { deep: true }] },
      bytes: new Uint8Array([255]),
    },
    eventName: 'stock.low',
    context,
  })
  logger.emit({ timestamp: at(17), observedTimestamp: at(17), body: { code: 7, tags: ['x'] } })
  logger.emit({
    timestamp: at(18),
    observedTimestamp: at(18),
    severityNumber: SeverityNumber.FATAL,
    body: 'gave up',
    attributes: { 'exception.type': 'OutOfStock', 'exception.message': 'no käse left' },
    context,
  })
  await provider.forceFlush()
  await provider.shutdown()
}

/** Each kind of metric that the SDK makes. Resolves to what the SDK itself has exported. */
async function sendMetrics(exporter: PushMetricExporter, serviceName: string): Promise<ResourceMetrics[]> {
  const exported: ResourceMetrics[] = []
  const send = exporter.export.bind(exporter)
  exporter.export = (metrics, done) => {
    exported.push(metrics)
    send(metrics, done)
  }
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 600_000 })
  const views = [
    { instrumentName: 'exponential', aggregation: { type: AggregationType.EXPONENTIAL_HISTOGRAM as const } },
  ]
  const provider = new MeterProvider({
    resource: resourceFromAttributes(resourceOf(serviceName)),
    readers: [reader],
    views,
  })
  const meter = provider.getMeter(...SCOPE)
  const counter = meter.createCounter('requests', { unit: '{request}', description: 'Käse', valueType: ValueType.INT })
  counter.add(3, ATTRIBUTES)
  counter.add(2 ** 60, { route: 'big' })
  meter.createUpDownCounter('open').add(-2.5)
  meter.createGauge('load').record(0.5)
  for (const name of ['latency', 'exponential']) {
    const histogram = meter.createHistogram(name, { unit: 'ms', advice: { explicitBucketBoundaries: [1, 10] } })
    for (const value of [0, 5, 50, 0.25]) histogram.record(value, { route: '/käse' })
  }
  await provider.forceFlush()
  await provider.shutdown()
  return exported
}

/** Everything at once, by one transport. */
export async function sendAll({ traces, logs, metrics }: Exporters, serviceName: string) {
  const sent = await sendTrace(traces, serviceName)
  await sendLogs(logs, serviceName, sent)
  return { ...sent, metrics: await sendMetrics(metrics, serviceName) }
}
