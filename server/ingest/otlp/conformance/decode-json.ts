import type { LogColumns } from '../../../domain/columns/log-columns.ts'
import type { SpanColumns } from '../../../domain/columns/span-columns.ts'
import type { MetricPoint } from '../../../domain/metric-point.ts'
import type { ExportOutcome } from '../../ingest.ts'
import { decodeLogs } from '../decode-logs.ts'
import { decodeMetrics } from '../decode-metrics.ts'
import { decodeTraces } from '../decode-traces.ts'
import { protobufOfJson } from '../json/protobuf-of-json.ts'
import type { DecodeLimits } from '../limits.ts'

/** What `decodeTraces` does, for OTLP's JSON. */
export function decodeTracesJson(body: Uint8Array, limits: DecodeLimits, out: SpanColumns): ExportOutcome {
  return decodeTraces(protobufOfJson('traces', body), limits, out)
}

export function decodeLogsJson(body: Uint8Array, limits: DecodeLimits, out: LogColumns): ExportOutcome {
  return decodeLogs(protobufOfJson('logs', body), limits, out)
}

export function decodeMetricsJson(
  body: Uint8Array,
  limits: DecodeLimits,
): { points: MetricPoint[]; outcome: ExportOutcome } {
  return decodeMetrics(protobufOfJson('metrics', body), limits)
}
