import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LogColumns } from '../../domain/columns/log-columns.ts'
import { SpanColumns } from '../../domain/columns/span-columns.ts'
import { logsRequest, metricsRequest, tracesRequest } from './conformance/arbitrary-requests.ts'
import { decodeLogsJson, decodeMetricsJson, decodeTracesJson } from './conformance/decode-json.ts'
import { expectedPoints } from './conformance/expected-points.ts'
import { expectedLogs, expectedSpans } from './conformance/expected-rows.ts'
import { jsonForm } from './conformance/json-form.ts'
import { decode, encode } from './conformance/otlp-messages.ts'
import { logRows, spanRows } from './conformance/rows.ts'
import { LIMITS, NOW_NS } from './conformance/small-requests.ts'
import { decodeLogs } from './decode-logs.ts'
import { decodeMetrics } from './decode-metrics.ts'
import { decodeTraces } from './decode-traces.ts'

const RUNS = { seed: 20_240_611, numRuns: 150 }

// The columns are used again for every request, so that what one leaves behind would show in the next.
const spans = new SpanColumns()
const logs = new LogColumns()

describe('traces', () => {
  test('are decoded to what another protobuf implementation finds in them', () => {
    fc.assert(
      fc.property(tracesRequest, (request) => {
        const body = encode('ExportTraceServiceRequest', request)
        const outcome = decodeTraces(body, LIMITS, spans)
        const expected = expectedSpans(decode('ExportTraceServiceRequest', body))
        expect(spanRows(spans)).toEqual(expected)
        expect(outcome).toMatchObject({ accepted: expected.length, rejected: 0, reason: '' })
      }),
      RUNS,
    )
  })

  test('mean the same in JSON and in protobuf', () => {
    fc.assert(
      fc.property(tracesRequest, (request) => {
        const outcome = decodeTraces(encode('ExportTraceServiceRequest', request), LIMITS, spans)
        const rows = spanRows(spans)
        expect(decodeTracesJson(jsonForm(request), LIMITS, spans)).toEqual(outcome)
        expect(spanRows(spans)).toEqual(rows)
      }),
      RUNS,
    )
  })
})

describe('logs', () => {
  test('are decoded to what another protobuf implementation finds in them', () => {
    fc.assert(
      fc.property(logsRequest, (request) => {
        const body = encode('ExportLogsServiceRequest', request)
        const outcome = decodeLogs(body, LIMITS, logs)
        const expected = expectedLogs(decode('ExportLogsServiceRequest', body), NOW_NS)
        expect(logRows(logs).map(({ id, ...row }) => row)).toEqual(expected)
        expect(outcome).toMatchObject({ accepted: expected.length, rejected: 0, reason: '' })
      }),
      RUNS,
    )
  })

  test('mean the same in JSON and in protobuf, ids and all', () => {
    fc.assert(
      fc.property(logsRequest, (request) => {
        const outcome = decodeLogs(encode('ExportLogsServiceRequest', request), LIMITS, logs)
        const rows = logRows(logs)
        expect(decodeLogsJson(jsonForm(request), LIMITS, logs)).toEqual(outcome)
        expect(logRows(logs)).toEqual(rows)
      }),
      RUNS,
    )
  })
})

describe('metrics', () => {
  test.each([{ packed: true }, { packed: false }])(
    'are decoded to what another protobuf implementation finds in them: %j',
    (options) => {
      fc.assert(
        fc.property(metricsRequest, (request) => {
          const body = encode('ExportMetricsServiceRequest', request, options)
          const { points, outcome } = decodeMetrics(body, LIMITS)
          const expected = expectedPoints(decode('ExportMetricsServiceRequest', body))
          expect(points).toEqual(expected)
          expect(outcome).toMatchObject({ accepted: expected.length, rejected: 0, reason: '' })
        }),
        RUNS,
      )
    },
  )

  test('mean the same in JSON and in protobuf', () => {
    fc.assert(
      fc.property(metricsRequest, (request) => {
        const fromProtobuf = decodeMetrics(encode('ExportMetricsServiceRequest', request), LIMITS)
        expect(decodeMetricsJson(jsonForm(request), LIMITS)).toEqual(fromProtobuf)
      }),
      RUNS,
    )
  })
})
