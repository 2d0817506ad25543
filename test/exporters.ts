import { OTLPLogExporter as GrpcLogs } from '@opentelemetry/exporter-logs-otlp-grpc'
import { OTLPLogExporter as JsonLogs } from '@opentelemetry/exporter-logs-otlp-http'
import { OTLPLogExporter as ProtobufLogs } from '@opentelemetry/exporter-logs-otlp-proto'
import { OTLPMetricExporter as GrpcMetrics } from '@opentelemetry/exporter-metrics-otlp-grpc'
import { OTLPMetricExporter as JsonMetrics } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPMetricExporter as ProtobufMetrics } from '@opentelemetry/exporter-metrics-otlp-proto'
import { OTLPTraceExporter as GrpcTraces } from '@opentelemetry/exporter-trace-otlp-grpc'
import { OTLPTraceExporter as JsonTraces } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufTraces } from '@opentelemetry/exporter-trace-otlp-proto'
import type { LogRecordExporter } from '@opentelemetry/sdk-logs'
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics'
import type { SpanExporter } from '@opentelemetry/sdk-trace-base'
import { vi } from 'vitest'
import { OWNER_KEY, type ServerProcess } from './server-process.ts'

export interface Exporters {
  traces: SpanExporter
  logs: LogRecordExporter
  metrics: PushMetricExporter
}

interface Transport {
  name: string
  endpoint(server: ServerProcess): string
  create(): Exporters
}

/** OTLP/HTTP is served on two ports: one encoding goes to each. */
export const TRANSPORTS: Transport[] = [
  {
    name: 'http/protobuf',
    endpoint: ({ otlpHttpUrl }) => otlpHttpUrl,
    create: () => ({ traces: new ProtobufTraces(), logs: new ProtobufLogs(), metrics: new ProtobufMetrics() }),
  },
  {
    name: 'http/json',
    endpoint: ({ url }) => url,
    create: () => ({ traces: new JsonTraces(), logs: new JsonLogs(), metrics: new JsonMetrics() }),
  },
  {
    name: 'grpc',
    endpoint: ({ otlpGrpcUrl }) => otlpGrpcUrl,
    create: () => ({ traces: new GrpcTraces(), logs: new GrpcLogs(), metrics: new GrpcMetrics() }),
  },
]

/** The exporters that a program gets which was told nothing but what its environment says. */
export function exportersFor(server: ServerProcess, transport: Transport, env: Record<string, string> = {}): Exporters {
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', transport.endpoint(server))
  vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', `api-key=${OWNER_KEY}`)
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  try {
    return transport.create()
  } finally {
    vi.unstubAllEnvs()
  }
}
