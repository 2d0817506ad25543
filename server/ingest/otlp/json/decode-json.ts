import type { LogColumns } from '../../../domain/columns/log-columns.ts'
import type { SpanColumns } from '../../../domain/columns/span-columns.ts'
import type { MetricPoint } from '../../../domain/metric-point.ts'
import { type ExportOutcome, MalformedRequest } from '../../ingest.ts'
import { decodeLogs } from '../decode-logs.ts'
import { decodeMetrics } from '../decode-metrics.ts'
import { decodeTraces } from '../decode-traces.ts'
import { type DecodeLimits, JSON_VALUES_MAX } from '../limits.ts'
import { stringOf } from '../utf8.ts'
import { LOGS, METRICS, type Message, TRACES } from './messages.ts'
import { transcode } from './transcoder.ts'

/** What `decodeTraces` does, for OTLP's JSON. */
export function decodeTracesJson(body: Uint8Array, limits: DecodeLimits, out: SpanColumns): ExportOutcome {
  return decodeTraces(protobufOf(TRACES, body), limits, out)
}

export function decodeLogsJson(body: Uint8Array, limits: DecodeLimits, out: LogColumns): ExportOutcome {
  return decodeLogs(protobufOf(LOGS, body), limits, out)
}

export function decodeMetricsJson(
  body: Uint8Array,
  limits: DecodeLimits,
): { points: MetricPoint[]; outcome: ExportOutcome } {
  return decodeMetrics(protobufOf(METRICS, body), limits)
}

function protobufOf(message: Message, body: Uint8Array): Uint8Array {
  if (hasTooManyValues(body)) {
    throw new MalformedRequest(`the body has more than ${JSON_VALUES_MAX} values: send less at once`)
  }
  return transcode(message, parsed(body))
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(stringOf(body, 0, body.length))
  } catch (error) {
    throw new MalformedRequest(`the body is not JSON: ${error instanceof Error ? error.message : error}`)
  }
}

/** Parsed, a value of two bytes takes fifty: what opens or separates values outside of strings is counted before. */
function hasTooManyValues(body: Uint8Array): boolean {
  if (body.length <= JSON_VALUES_MAX) return false
  let values = 0
  let inString = false
  for (let i = 0; i < body.length; i++) {
    const byte = body[i]
    if (byte === 0x22) inString = !inString
    else if (inString) {
      if (byte === 0x5c) i++
    } else if (byte === 0x2c || byte === 0x5b || byte === 0x7b) values++
  }
  return values > JSON_VALUES_MAX
}
