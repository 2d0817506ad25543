import {
  JsonTraceSerializer,
  ProtobufLogsSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from '@opentelemetry/otlp-transformer'
import { describe, expect, test } from 'vitest'
import type { ExportOutcome, Signal } from '../ingest.ts'
import { decode } from './conformance/otlp-messages.ts'
import { encodeExportResponse, encodeRetryInfoStatus, encodeStatus } from './responses.ts'

const WHOLE: ExportOutcome = { accepted: 5, rejected: 0, reason: '', truncatedAttributes: 2 }
const PARTIAL: ExportOutcome = {
  accepted: 5,
  rejected: 300,
  reason: '300 spans have no valid trace id: é',
  truncatedAttributes: 0,
}

describe('an export', () => {
  test.each<Signal>(['traces', 'logs', 'metrics'])('that succeeded is answered by an empty message: %s', (signal) => {
    expect(encodeExportResponse(signal, 'protobuf', WHOLE)).toHaveLength(0)
    expect(Buffer.from(encodeExportResponse(signal, 'json', WHOLE)).toString()).toBe('{}')
  })

  test('that succeeded in part says to the official clients how much was rejected, and why', () => {
    const errorMessage = PARTIAL.reason
    expect(ProtobufTraceSerializer.deserializeResponse(encodeExportResponse('traces', 'protobuf', PARTIAL))).toEqual({
      partialSuccess: { rejectedSpans: 300, errorMessage },
    })
    expect(ProtobufLogsSerializer.deserializeResponse(encodeExportResponse('logs', 'protobuf', PARTIAL))).toEqual({
      partialSuccess: { rejectedLogRecords: 300, errorMessage },
    })
    expect(ProtobufMetricsSerializer.deserializeResponse(encodeExportResponse('metrics', 'protobuf', PARTIAL))).toEqual(
      {
        partialSuccess: { rejectedDataPoints: 300, errorMessage },
      },
    )
    expect(JsonTraceSerializer.deserializeResponse(encodeExportResponse('traces', 'json', PARTIAL))).toEqual({
      partialSuccess: { rejectedSpans: '300', errorMessage },
    })
  })

  test.each([
    ['ExportTraceServiceResponse', 'traces', 'rejectedSpans'],
    ['ExportLogsServiceResponse', 'logs', 'rejectedLogRecords'],
    ['ExportMetricsServiceResponse', 'metrics', 'rejectedDataPoints'],
  ] as const)('that succeeded in part is an %s', (message, signal, name) => {
    const partialSuccess = { [name]: '300', errorMessage: PARTIAL.reason }
    expect(decode(message, encodeExportResponse(signal, 'protobuf', PARTIAL))).toEqual({ partialSuccess })
    expect(JSON.parse(Buffer.from(encodeExportResponse(signal, 'json', PARTIAL)).toString())).toEqual({
      partialSuccess,
    })
  })

  test('that only deserves a warning has nothing rejected', () => {
    const outcome = { ...WHOLE, reason: 'careful' }
    expect(decode('ExportTraceServiceResponse', encodeExportResponse('traces', 'protobuf', outcome))).toEqual({
      partialSuccess: { errorMessage: 'careful' },
    })
  })
})

describe('a failure', () => {
  test('is a google.rpc.Status', () => {
    expect(decode('RpcStatus', encodeStatus('protobuf', 3, 'naïve'))).toEqual({ code: 3, message: 'naïve' })
    expect(JSON.parse(Buffer.from(encodeStatus('json', 3, 'naïve')).toString())).toEqual({ code: 3, message: 'naïve' })
  })

  test.each([
    [1500, { seconds: '1', nanos: 500_000_000 }, '1.5s'],
    [30_000, { seconds: '30' }, '30s'],
    [7, { nanos: 7_000_000 }, '0.007s'],
  ])('says when to try again: after %i ms', (delayMs, retryDelay, text) => {
    const bytes = encodeStatus('protobuf', 14, 'busy', delayMs)
    const { details, ...rest } = decode('RpcStatus', bytes) as { details: { typeUrl: string; value: Uint8Array }[] }
    expect(rest).toEqual({ code: 14, message: 'busy' })
    expect(details.map(({ typeUrl }) => typeUrl)).toEqual(['type.googleapis.com/google.rpc.RetryInfo'])
    expect(decode('RetryInfo', details[0]?.value ?? new Uint8Array())).toEqual({ retryDelay })
    expect(encodeRetryInfoStatus(14, 'busy', delayMs)).toEqual(bytes)
    expect(JSON.parse(Buffer.from(encodeStatus('json', 14, 'busy', delayMs)).toString())).toEqual({
      code: 14,
      message: 'busy',
      details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: text }],
    })
  })
})
