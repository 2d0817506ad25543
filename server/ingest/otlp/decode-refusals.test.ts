import { describe, expect, test } from 'vitest'
import { LogColumns } from '../../domain/columns/log-columns.ts'
import { SpanColumns } from '../../domain/columns/span-columns.ts'
import { encode, field } from './conformance/otlp-messages.ts'
import { logRows, spanRows } from './conformance/rows.ts'
import type { LogRecord, Metric, Span } from './conformance/shapes.ts'
import { attribute, LIMITS, logs, metrics, NOW_NS, SECOND_NS, span, traces } from './conformance/small-requests.ts'
import { decodeLogs } from './decode-logs.ts'
import { decodeMetrics } from './decode-metrics.ts'
import { decodeTraces } from './decode-traces.ts'

const MINUTE_NS = 60n * SECOND_NS
const columns = new SpanColumns()
const logColumns = new LogColumns()

function sendSpans(...spans: Span[]) {
  return decodeTraces(encode('ExportTraceServiceRequest', traces(...spans)), LIMITS, columns)
}

function sendLogs(...records: LogRecord[]) {
  return decodeLogs(encode('ExportLogsServiceRequest', logs(...records)), LIMITS, logColumns)
}

function sendMetrics(...sent: Metric[]) {
  return decodeMetrics(encode('ExportMetricsServiceRequest', metrics(...sent)), LIMITS)
}

function at(startNs: bigint, endNs = startNs): Span {
  return span({ startTimeUnixNano: String(startNs), endTimeUnixNano: String(endNs) })
}

describe('spans are refused', () => {
  test.each<[string, Span]>([
    ['1 span has no valid trace id', span({ traceId: new Uint8Array(0) })],
    ['1 span has no valid trace id', span({ traceId: new Uint8Array(16) })],
    ['1 span has no valid trace id', span({ traceId: new Uint8Array(15).fill(1) })],
    ['1 span has no valid trace id', span({ traceId: new Uint8Array(17).fill(1) })],
    ['1 span has no valid span id', span({ spanId: new Uint8Array(0) })],
    ['1 span has no valid span id', span({ spanId: new Uint8Array(8) })],
    ['1 span has no valid span id', span({ spanId: new Uint8Array(16).fill(1) })],
    ['1 span starts more than 1 hour in the future', at(LIMITS.newestNs + 1n)],
    ['1 span starts more than 1 hour in the future', at(2n ** 63n)],
    ['1 span starts more than 1 hour in the future', at(2n ** 64n - 1n)],
    ['1 span starts more than 7 days ago, longer than is kept', at(LIMITS.oldestNs - 1n)],
    ['1 span starts more than 7 days ago, longer than is kept', at(0n, NOW_NS)],
    ['1 span ends more than 60 seconds before it starts', at(NOW_NS, NOW_NS - MINUTE_NS - 1n)],
    ['1 span ends more than 60 seconds before it starts', at(NOW_NS, 0n)],
    ['1 span ends more than 1 hour in the future', at(NOW_NS, LIMITS.newestNs + 1n)],
    ['1 span ends more than 1 hour in the future', at(NOW_NS, 2n ** 64n - 1n)],
  ])('%s', (reason, bad) => {
    expect(sendSpans(bad)).toEqual({ accepted: 0, rejected: 1, reason, truncatedAttributes: 0 })
    expect(columns.length).toBe(0)
  })

  test('and the rest of their batch is kept as if they had not been there', () => {
    const long = attribute('cut', 'x'.repeat(70_000))
    const bad = span({ traceId: new Uint8Array(3), attributes: [long], events: [{ name: 'e' }], links: [{}] })
    const good = [span({ name: 'a' }), span({ name: 'b', attributes: [attribute('k', 'v')] }), span({ name: 'c' })]
    sendSpans(...good)
    const rows = spanRows(columns)
    const outcome = sendSpans(bad, good[0] as Span, bad, good[1] as Span, good[2] as Span, bad)
    expect(outcome).toEqual({
      accepted: 3,
      rejected: 3,
      reason: '3 spans have no valid trace id',
      truncatedAttributes: 0,
    })
    expect(spanRows(columns)).toEqual(rows)
  })

  test('with every reason in one sentence', () => {
    const early = at(NOW_NS, 1n)
    const { reason } = sendSpans(at(LIMITS.newestNs + 1n), early, at(LIMITS.oldestNs - 1n), early)
    expect(reason).toBe(
      '1 span starts more than 1 hour in the future; 2 spans end more than 60 seconds before they start; ' +
        '1 span starts more than 7 days ago, longer than is kept',
    )
  })
})

test.each([
  [3_600n * SECOND_NS, '1 hour'],
  [3_599n * SECOND_NS, '1 hour'],
  [5_400n * SECOND_NS, '1.5 hours'],
  [86_400n * SECOND_NS, '1 day'],
  [600n * SECOND_NS, '10 minutes'],
  [SECOND_NS, '1 second'],
])('a limit of %i ns reads as %s', (ns, words) => {
  const limits = { ...LIMITS, newestNs: NOW_NS + ns }
  const body = encode('ExportTraceServiceRequest', traces(at(limits.newestNs + 1n)))
  expect(decodeTraces(body, limits, columns).reason).toBe(`1 span starts more than ${words} in the future`)
})

describe('spans are kept', () => {
  test.each<[string, Span, bigint]>([
    ['that start at the newest time', at(LIMITS.newestNs), 0n],
    ['that start at the oldest time', at(LIMITS.oldestNs), 0n],
    ['that end up to a minute before they start', at(NOW_NS, NOW_NS - MINUTE_NS), 0n],
    ['whose length needs more than 32 bits', at(NOW_NS - 86_400n * SECOND_NS, NOW_NS), 86_400n * SECOND_NS],
    ['whose length borrows from the high half', at((1n << 32n) * 407_453_000n - 1n, (1n << 32n) * 407_453_000n), 1n],
  ])('%s', (_, good, durationNs) => {
    expect(sendSpans(good)).toMatchObject({ accepted: 1, rejected: 0, reason: '' })
    expect(spanRows(columns)[0]).toMatchObject({ startNs: BigInt(good.startTimeUnixNano ?? 0), durationNs })
  })

  test('without a parent where its id has a wrong length', () => {
    sendSpans(span({ parentSpanId: new Uint8Array(8).fill(9) }), span({ parentSpanId: new Uint8Array(5).fill(9) }))
    expect(spanRows(columns).map(({ parentId }) => parentId)).toEqual(['09'.repeat(8), '00'.repeat(8)])
  })
})

describe('log records', () => {
  test('are refused outside of the believed time', () => {
    const outcome = sendLogs(
      { timeUnixNano: String(LIMITS.newestNs + 1n) },
      { timeUnixNano: String(LIMITS.oldestNs - 1n) },
      { observedTimeUnixNano: String(LIMITS.oldestNs - 1n) },
      { timeUnixNano: String(LIMITS.newestNs) },
      { timeUnixNano: String(LIMITS.oldestNs), observedTimeUnixNano: '1' },
    )
    expect(outcome).toEqual({
      accepted: 2,
      rejected: 3,
      reason:
        '1 log record is dated more than 1 hour in the future; ' +
        '2 log records are dated more than 7 days ago, longer than is kept',
      truncatedAttributes: 0,
    })
  })

  test('are refused beyond a million in one request', () => {
    const empty = Uint8Array.of(0x12, 0x00)
    const records = Buffer.alloc(2 * 1_000_002, empty)
    const outcome = decodeLogs(field(1, field(2, records)), LIMITS, new LogColumns())
    expect(outcome).toMatchObject({ accepted: 1_000_000, rejected: 2 })
    expect(outcome.reason).toBe('2 log records are more than one request may hold')
  })

  test('take their time from when they were observed, or from now', () => {
    sendLogs({ timeUnixNano: '0', observedTimeUnixNano: String(NOW_NS - 5n) }, {})
    expect(logRows(logColumns).map(({ timeNs }) => timeNs)).toEqual([NOW_NS - 5n, NOW_NS])
  })

  test('keep no time of observation that 63 bits cannot hold', () => {
    sendLogs({ timeUnixNano: String(NOW_NS), observedTimeUnixNano: String(2n ** 63n) })
    expect(logRows(logColumns)[0]?.observedNs).toBe(0n)
  })

  test('lose an id of a wrong length, and nothing else', () => {
    const outcome = sendLogs({ traceId: new Uint8Array(8).fill(1), spanId: new Uint8Array(8).fill(2) })
    expect(outcome).toMatchObject({ accepted: 1, rejected: 0 })
    expect(logRows(logColumns)[0]).toMatchObject({ traceId: '00'.repeat(16), spanId: '02'.repeat(8) })
  })
})

describe('data points', () => {
  test('are refused without a time, outside of the believed time, and without a name', () => {
    const point = (timeNs: bigint) => ({ timeUnixNano: String(timeNs), asInt: '1' })
    const { points, outcome } = sendMetrics(
      { name: 'a', gauge: { dataPoints: [point(0n), point(LIMITS.newestNs + 1n), point(LIMITS.oldestNs - 1n)] } },
      { name: '', gauge: { dataPoints: [point(NOW_NS), point(NOW_NS)] } },
      { name: 'b', sum: { dataPoints: [point(LIMITS.newestNs), point(LIMITS.oldestNs)] } },
    )
    expect(points.map(({ name, timeNs }) => [name, timeNs])).toEqual([
      ['b', LIMITS.newestNs],
      ['b', LIMITS.oldestNs],
    ])
    expect(outcome).toEqual({
      accepted: 2,
      rejected: 5,
      reason:
        '1 data point has no time; 1 data point is dated more than 1 hour in the future; ' +
        '1 data point is dated more than 7 days ago, longer than is kept; ' +
        '2 data points belong to a metric without a name',
      truncatedAttributes: 0,
    })
  })
})
