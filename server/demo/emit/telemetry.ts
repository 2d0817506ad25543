import type { ReadableLogRecord } from '@opentelemetry/sdk-logs'
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'

/** What the shop emitted in a stretch of virtual time, each list in the order in which it was emitted. */
export interface Telemetry {
  spans: ReadableSpan[]
  logs: ReadableLogRecord[]
  metrics: ResourceMetrics[]
}

export function createTelemetry(): Telemetry {
  return { spans: [], logs: [], metrics: [] }
}
