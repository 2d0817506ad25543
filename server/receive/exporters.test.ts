import { SeverityNumber } from '@opentelemetry/api-logs'
import { OTLPLogExporter as GrpcLogs } from '@opentelemetry/exporter-logs-otlp-grpc'
import { OTLPLogExporter as JsonLogs } from '@opentelemetry/exporter-logs-otlp-http'
import { OTLPLogExporter as ProtoLogs } from '@opentelemetry/exporter-logs-otlp-proto'
import { OTLPMetricExporter as GrpcMetrics } from '@opentelemetry/exporter-metrics-otlp-grpc'
import { OTLPMetricExporter as JsonMetrics } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPMetricExporter as ProtoMetrics } from '@opentelemetry/exporter-metrics-otlp-proto'
import { OTLPTraceExporter as GrpcTraces } from '@opentelemetry/exporter-trace-otlp-grpc'
import { OTLPTraceExporter as JsonTraces } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtoTraces } from '@opentelemetry/exporter-trace-otlp-proto'
import { BatchLogRecordProcessor, LoggerProvider, type LogRecordExporter } from '@opentelemetry/sdk-logs'
import { MeterProvider, PeriodicExportingMetricReader, type PushMetricExporter } from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { StoreUnavailable } from '../domain/store-errors.ts'
import type { Encoding, Signal } from '../ingest/ingest.ts'
import { type GrpcReceiver, openGrpcReceiver } from './grpc.ts'
import { createOtlpHttpServer } from './otlp-http-server.ts'
import { createReceiverFixture, GRID_ID, INGEST_KEY, type ReceiverFixture } from './testing/receiver-fixture.ts'

let fixture: ReceiverFixture
let http: FastifyInstance
let grpc: GrpcReceiver
let httpUrl: string

beforeAll(async () => {
  fixture = createReceiverFixture()
  http = createOtlpHttpServer({ receiver: fixture.receiver })
  httpUrl = await http.listen({ host: '127.0.0.1', port: 0 })
  grpc = await openGrpcReceiver({ receiver: fixture.receiver, host: '127.0.0.1', port: 0 })
})

beforeEach(() => {
  fixture.requests.length = 0
})

afterAll(async () => {
  await http.close()
  await grpc.close(1_000)
})

type ExportResult = Parameters<Parameters<SpanExporter['export']>[1]>[0]

const idle = { forceFlush: async () => undefined, shutdown: async () => undefined }

/** The exporter that a program gets which was told nothing but what its environment says. */
function fromEnvironment<T>(endpoint: string, create: () => T): T {
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', endpoint)
  vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', `api-key=${INGEST_KEY}`)
  try {
    return create()
  } finally {
    vi.unstubAllEnvs()
  }
}

const overHttp = <T>(create: () => T): T => fromEnvironment(httpUrl, create)
const overGrpc = <T>(create: () => T): T => fromEnvironment(`http://127.0.0.1:${grpc.port}`, create)

async function sendSpan(exporter: SpanExporter, name: string): Promise<void> {
  const provider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] })
  provider.getTracer('test').startSpan(name).end()
  await provider.forceFlush()
  await provider.shutdown()
}

async function sendLog(exporter: LogRecordExporter, body: string): Promise<void> {
  const provider = new LoggerProvider({ processors: [new BatchLogRecordProcessor({ exporter })] })
  provider.getLogger('test').emit({ body, severityNumber: SeverityNumber.INFO })
  await provider.forceFlush()
  await provider.shutdown()
}

async function sendMetric(exporter: PushMetricExporter, name: string): Promise<void> {
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 600_000 })
  const provider = new MeterProvider({ readers: [reader] })
  provider.getMeter('test').createCounter(name).add(1)
  await provider.forceFlush()
  await provider.shutdown()
}

function expectDelivered(signal: Signal, encoding: Encoding, text: string): void {
  const [request] = fixture.requests
  expect(request).toMatchObject({ gridId: GRID_ID, signal, encoding })
  expect(Buffer.from(request?.body ?? []).includes(text)).toBe(true)
  if (encoding === 'json') JSON.parse(Buffer.from(request?.body ?? []).toString())
}

describe('the official exporters deliver with nothing but an endpoint and headers', () => {
  it('traces over HTTP in JSON', async () => {
    await sendSpan(
      overHttp(() => new JsonTraces()),
      'checkout',
    )
    expectDelivered('traces', 'json', 'checkout')
  })

  it('traces over HTTP in protobuf', async () => {
    await sendSpan(
      overHttp(() => new ProtoTraces()),
      'checkout',
    )
    expectDelivered('traces', 'protobuf', 'checkout')
  })

  it('traces over gRPC', async () => {
    await sendSpan(
      overGrpc(() => new GrpcTraces()),
      'checkout',
    )
    expectDelivered('traces', 'protobuf', 'checkout')
  })

  it('logs over HTTP in JSON', async () => {
    await sendLog(
      overHttp(() => new JsonLogs()),
      'payment declined',
    )
    expectDelivered('logs', 'json', 'payment declined')
  })

  it('logs over HTTP in protobuf', async () => {
    await sendLog(
      overHttp(() => new ProtoLogs()),
      'payment declined',
    )
    expectDelivered('logs', 'protobuf', 'payment declined')
  })

  it('logs over gRPC', async () => {
    await sendLog(
      overGrpc(() => new GrpcLogs()),
      'payment declined',
    )
    expectDelivered('logs', 'protobuf', 'payment declined')
  })

  it('metrics over HTTP in JSON', async () => {
    await sendMetric(
      overHttp(() => new JsonMetrics()),
      'orders',
    )
    expectDelivered('metrics', 'json', 'orders')
  })

  it('metrics over HTTP in protobuf', async () => {
    await sendMetric(
      overHttp(() => new ProtoMetrics()),
      'orders',
    )
    expectDelivered('metrics', 'protobuf', 'orders')
  })

  it('metrics over gRPC', async () => {
    await sendMetric(
      overGrpc(() => new GrpcMetrics()),
      'orders',
    )
    expectDelivered('metrics', 'protobuf', 'orders')
  })
})

it('an exporter tries again when it was told to, and delivers', async () => {
  let attempts = 0
  fixture.onExport = async () => {
    attempts += 1
    if (attempts === 1) throw new StoreUnavailable('The store is busy.')
    return { accepted: 1, rejected: 0, reason: '', truncatedAttributes: 0 }
  }
  await sendSpan(
    overHttp(() => new ProtoTraces()),
    'checkout',
  )
  expect(attempts).toBe(2)
})

it('an exporter learns why it was refused, however much it was about to send', async () => {
  const spans: ReadableSpan[] = []
  const processor = { onStart: () => undefined, onEnd: (span: ReadableSpan) => void spans.push(span), ...idle }
  const tracer = new BasicTracerProvider({ spanProcessors: [processor] }).getTracer('test')
  for (let i = 0; i < 200; i++) tracer.startSpan('x'.repeat(50_000)).end()
  const exporter = new ProtoTraces({ url: `${httpUrl}/v1/traces`, headers: { 'api-key': 'wrong' } })
  const result = await new Promise<ExportResult>((resolve) => exporter.export(spans, resolve))
  expect(result.error).toMatchObject({ code: 401 })
})
