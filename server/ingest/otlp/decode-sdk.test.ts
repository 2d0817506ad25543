import { type Attributes, ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import { SeverityNumber } from '@opentelemetry/api-logs'
import {
  JsonLogsSerializer,
  JsonMetricsSerializer,
  JsonTraceSerializer,
  ProtobufLogsSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs'
import { AggregationType, MeterProvider, MetricReader, type ResourceMetrics } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { expect, test } from 'vitest'
import { LogColumns } from '../../domain/columns/log-columns.ts'
import { SpanColumns } from '../../domain/columns/span-columns.ts'
import { decodeLogsJson, decodeMetricsJson, decodeTracesJson } from './conformance/decode-json.ts'
import { logRows, spanRows } from './conformance/rows.ts'
import { decodeLogs } from './decode-logs.ts'
import { decodeMetrics } from './decode-metrics.ts'
import { decodeTraces } from './decode-traces.ts'

const START_MS = 1_750_000_000_000
const LIMITS = { oldestNs: 0n, newestNs: 4_000_000_000_000_000_000n, nowNs: 1_750_000_000_000_000_000n }
const resource = resourceFromAttributes({ 'service.name': 'shop', 'service.version': '1.2', 'host.cpus': 8 })

const ATTRIBUTES: Attributes = {
  text: 'naïve "quotes" \\ \n 漢字 😀',
  lone: 'a\ud800b',
  integer: -42,
  big: 2 ** 60,
  double: 0.1,
  yes: true,
  texts: ['a', 'b'],
  numbers: [1, 2.5],
  empty: [],
}
const ATTRIBUTES_JSON =
  '{"text":"naïve \\"quotes\\" \\\\ \\n 漢字 😀","lone":"a\ufffdb","integer":-42,"big":"1152921504606846976","double":0.1,' +
  '"yes":true,"texts":["a","b"],"numbers":[1,2.5],"empty":[]}'

function bytesOf(serialized: Uint8Array | undefined): Uint8Array {
  if (serialized === undefined) throw new Error('the official serializer gave nothing')
  return serialized
}

test('spans of the official SDK, by either of its serializers, are stored field by field', () => {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ resource, spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const tracer = provider.getTracer('lib', '3.4')
  const parent = tracer.startSpan('parent', { startTime: START_MS, kind: SpanKind.SERVER })
  const linked = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: TraceFlags.SAMPLED }
  const options = {
    startTime: START_MS + 1,
    kind: SpanKind.CLIENT,
    attributes: ATTRIBUTES,
    links: [{ context: linked, attributes: { why: 'retry' } }],
  }
  const child = tracer.startSpan('child', options, trace.setSpan(ROOT_CONTEXT, parent))
  child.addEvent('exception', { 'exception.type': 'TypeError' }, [1_750_000_000, 2_000_005])
  child.setStatus({ code: SpanStatusCode.ERROR, message: 'broke' })
  child.end(START_MS + 3)
  parent.end(START_MS + 4)

  const columns = new SpanColumns()
  const finished = exporter.getFinishedSpans()
  const body = bytesOf(ProtobufTraceSerializer.serializeRequest(finished))
  expect(decodeTraces(body, LIMITS, columns)).toMatchObject({ accepted: 2, rejected: 0, truncatedAttributes: 0 })
  const rows = spanRows(columns)
  const { traceId, spanId } = child.spanContext()
  expect(rows[0]).toEqual({
    traceId,
    spanId,
    parentId: parent.spanContext().spanId,
    startNs: 1_750_000_000_001_000_000n,
    durationNs: 2_000_000n,
    kind: 3,
    status: 2,
    flags: 257,
    dropped: 0,
    operation: 'child',
    statusMessage: 'broke',
    traceState: '',
    attributes: ATTRIBUTES_JSON,
    events: '[{"name":"exception","timeUnixNano":"1750000000002000005","attributes":{"exception.type":"TypeError"}}]',
    links: `[{"traceId":"${'a'.repeat(32)}","spanId":"${'b'.repeat(16)}","attributes":{"why":"retry"}}]`,
    origin: {
      serviceName: 'shop',
      resourceJson: '{"service.name":"shop","service.version":"1.2","host.cpus":8}',
      scopeName: 'lib',
      scopeVersion: '3.4',
    },
  })
  expect(rows[1]).toMatchObject({ traceId, operation: 'parent', parentId: '00'.repeat(8), kind: 2, attributes: '' })

  decodeTracesJson(bytesOf(JsonTraceSerializer.serializeRequest(finished)), LIMITS, columns)
  expect(spanRows(columns)).toEqual(rows)
})

test('logs of the official SDK, by either of its serializers, are stored field by field', () => {
  const exporter = new InMemoryLogRecordExporter()
  const provider = new LoggerProvider({ resource, processors: [new SimpleLogRecordProcessor({ exporter })] })
  const logger = provider.getLogger('lib', '3.4')
  const spanContext = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: TraceFlags.SAMPLED }
  logger.emit({
    timestamp: START_MS,
    observedTimestamp: START_MS + 1,
    severityNumber: SeverityNumber.WARN,
    severityText: 'WARN',
    body: 'naïve',
    attributes: { ...ATTRIBUTES, map: { inner: [new Uint8Array([1, 2])] } },
    eventName: 'event',
    context: trace.setSpanContext(ROOT_CONTEXT, spanContext),
  })
  logger.emit({ timestamp: START_MS, observedTimestamp: START_MS, body: { code: 7, tags: ['x'] } })

  const columns = new LogColumns()
  const finished = exporter.getFinishedLogRecords()
  decodeLogs(bytesOf(ProtobufLogsSerializer.serializeRequest(finished)), LIMITS, columns)
  const rows = logRows(columns)
  expect(rows[0]).toMatchObject({
    traceId: spanContext.traceId,
    spanId: spanContext.spanId,
    timeNs: 1_750_000_000_000_000_000n,
    observedNs: 1_750_000_000_001_000_000n,
    severityNumber: 13,
    severityText: 'WARN',
    flags: 1,
    dropped: 0,
    body: 'naïve',
    eventName: 'event',
    attributes: `${ATTRIBUTES_JSON.slice(0, -1)},"map":{"inner":["AQI="]}}`,
  })
  expect(rows[1]).toMatchObject({ body: '{"code":7,"tags":["x"]}', traceId: '00'.repeat(16), severityNumber: 0 })

  decodeLogsJson(bytesOf(JsonLogsSerializer.serializeRequest(finished)), LIMITS, columns)
  expect(logRows(columns)).toEqual(rows)
})

class ManualReader extends MetricReader {
  protected override async onShutdown(): Promise<void> {}
  protected override async onForceFlush(): Promise<void> {}
}

async function collected(): Promise<ResourceMetrics> {
  const reader = new ManualReader()
  const views = [
    {
      instrumentName: 'exponential',
      aggregation: { type: AggregationType.EXPONENTIAL_HISTOGRAM as const },
    },
  ]
  const meter = new MeterProvider({ resource, readers: [reader], views }).getMeter('lib', '3.4')
  meter.createCounter('requests', { unit: '1', description: 'All requests', valueType: 0 }).add(3, { route: '/' })
  meter.createUpDownCounter('open').add(-2.5)
  meter.createGauge('load').record(0.5)
  for (const name of ['latency', 'exponential']) {
    const histogram = meter.createHistogram(name, { advice: { explicitBucketBoundaries: [1, 10] } })
    for (const value of [0, 5, 50, 0.25]) histogram.record(value)
  }
  return (await reader.collect()).resourceMetrics
}

test('metrics of the official SDK, by either of its serializers, are stored field by field', async () => {
  const metrics = await collected()
  const { points } = decodeMetrics(bytesOf(ProtobufMetricsSerializer.serializeRequest(metrics)), LIMITS)
  const byName = new Map(points.map((point) => [point.name, point]))
  expect(byName.get('requests')).toMatchObject({
    description: 'All requests',
    unit: '1',
    type: 'sum',
    temporality: 'cumulative',
    monotonic: true,
    value: 3,
    attributes: { route: '/' },
    serviceName: 'shop',
    resource: { 'service.name': 'shop', 'service.version': '1.2', 'host.cpus': 8 },
    scopeName: 'lib',
    scopeVersion: '3.4',
  })
  expect(byName.get('open')).toMatchObject({ type: 'sum', monotonic: false, value: -2.5 })
  expect(byName.get('load')).toMatchObject({ type: 'gauge', temporality: 'unspecified', value: 0.5 })
  expect(byName.get('latency')).toMatchObject({
    type: 'histogram',
    value: { count: 4, sum: 55.25, min: 0, max: 50, explicitBounds: [1, 10], bucketCounts: [2, 1, 1] },
  })
  const exponential = byName.get('exponential')?.value as { positive: { counts: number[] }; zeroCount: number }
  expect(byName.get('exponential')).toMatchObject({
    type: 'exponential_histogram',
    value: { count: 4, sum: 55.25, min: 0 },
  })
  expect(exponential.zeroCount + exponential.positive.counts.reduce((sum, count) => sum + count)).toBe(4)

  const fromJson = decodeMetricsJson(bytesOf(JsonMetricsSerializer.serializeRequest(metrics)), LIMITS)
  expect(fromJson.points).toEqual(points)
})
