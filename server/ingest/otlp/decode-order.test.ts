import { expect, test } from 'vitest'
import { LogColumns } from '../../domain/columns/log-columns.ts'
import { SpanColumns } from '../../domain/columns/span-columns.ts'
import { concat, encode, field } from './conformance/otlp-messages.ts'
import { logRows, spanRows } from './conformance/rows.ts'
import type { AnyValue, KeyValue } from './conformance/shapes.ts'
import { attribute, LIMITS, NOW_NS, service, span, traces } from './conformance/small-requests.ts'
import { decodeLogs } from './decode-logs.ts'
import { decodeMetrics } from './decode-metrics.ts'
import { decodeTraces } from './decode-traces.ts'

const columns = new SpanColumns()
const logColumns = new LogColumns()

function decodedSpan(bytes: Uint8Array) {
  decodeTraces(field(1, field(2, field(2, bytes))), LIMITS, columns)
  return spanRows(columns)[0]
}

/** A span whose only attribute has this value, or parts of a value. */
function withValue(...parts: Uint8Array[]) {
  const pair = concat(field(1, Buffer.from('k')), ...parts.map((part) => field(2, part)))
  return decodedSpan(concat(encode('Span', span()), field(9, pair)))?.attributes
}

function value(content: AnyValue): Uint8Array {
  return encode('AnyValue', content)
}

test('a resource and a scope may follow what belongs to them', () => {
  const scope = encode('ScopeSpans', { scope: { name: 'lib', version: '1' } })
  const resource = encode('ResourceSpans', { resource: { attributes: [service('late')] } })
  const spans = encode('ScopeSpans', { spans: [span(), span()] })
  decodeTraces(field(1, concat(field(2, concat(spans, scope)), resource)), LIMITS, columns)
  const origin = { serviceName: 'late', resourceJson: '{"service.name":"late"}', scopeName: 'lib', scopeVersion: '1' }
  expect(spanRows(columns).map((row) => row.origin)).toEqual([origin, origin])
  expect(columns.origins).toHaveLength(1)
})

test('a resource and a scope in parts are one', () => {
  const parts = [
    encode('ResourceSpans', { resource: { attributes: [attribute('a', '1')] }, scopeSpans: [] }),
    field(
      2,
      concat(encode('ScopeSpans', { scope: { name: 'lib' }, spans: [span()] }), field(1, field(2, Buffer.from('2')))),
    ),
    encode('ResourceSpans', { resource: { attributes: [service('x')] } }),
  ]
  decodeTraces(field(1, concat(...parts)), LIMITS, columns)
  expect(spanRows(columns)[0]?.origin).toEqual({
    serviceName: 'x',
    resourceJson: '{"a":"1","service.name":"x"}',
    scopeName: 'lib',
    scopeVersion: '2',
  })
})

test('the fields of a span come in any order, and the last of each counts', () => {
  const events = [{ name: 'e', attributes: [attribute('k', 'event')] }]
  const [early, late] = [span({ name: 'old', kind: 1, flags: 7 }), span({ name: 'new', kind: 3 })]
  const row = decodedSpan(
    concat(
      encode('Span', { attributes: [attribute('k', '1')], events, status: { code: 2 } }),
      encode('Span', early),
      encode('Span', { attributes: [attribute('l', '2'), attribute('k', '3')], events }),
      encode('Span', { ...late, status: { message: 'm' } }),
    ),
  )
  expect(row).toMatchObject({ operation: 'new', kind: 3, flags: 7, status: 2, statusMessage: 'm', dropped: 1 })
  expect(row?.attributes).toBe('{"k":"1","l":"2"}')
  expect(JSON.parse(row?.events ?? '')).toEqual(
    [1, 2].map(() => ({ name: 'e', timeUnixNano: '0', attributes: { k: 'event' } })),
  )
})

test('an event and a link may have their attributes first', () => {
  const attributes = [attribute('k', 'v')]
  const event = concat(encode('Event', { attributes }), encode('Event', { name: 'e', timeUnixNano: '5' }))
  const link = concat(encode('Link', { attributes }), encode('Link', { spanId: new Uint8Array(8).fill(1) }))
  const row = decodedSpan(concat(encode('Span', span()), field(11, event), field(13, link)))
  expect(row?.events).toBe('[{"name":"e","timeUnixNano":"5","attributes":{"k":"v"}}]')
  expect(row?.links).toBe(`[{"traceId":"","spanId":"${'01'.repeat(8)}","attributes":{"k":"v"}}]`)
})

test('of several values in one the last counts', () => {
  const both = concat(value({ stringValue: 'a' }), value({ intValue: '5' }))
  expect(withValue(both)).toBe('{"k":5}')
  expect(withValue(value({ stringValue: 'a' }), value({ boolValue: false }))).toBe('{"k":false}')
  expect(withValue(concat(both, value({ stringValue: 'z' })))).toBe('{"k":"z"}')
})

test('lists in parts are one list, unless another value came between', () => {
  const list = (text: string) => value({ arrayValue: { values: [{ stringValue: text }] } })
  const map = (key: string) => value({ kvlistValue: { values: [attribute(key, 'v')] } })
  expect(withValue(concat(list('a'), list('b')))).toBe('{"k":["a","b"]}')
  expect(withValue(list('a'), list('b'), list('c'))).toBe('{"k":["a","b","c"]}')
  expect(withValue(concat(list('a'), value({ intValue: '1' }), list('b')))).toBe('{"k":["b"]}')
  expect(withValue(concat(map('a'), map('b')), map('a'))).toBe('{"k":{"a":"v","b":"v"}}')
})

test('a value follows or precedes its key', () => {
  const pair = concat(field(2, value({ intValue: '1' })), field(1, Buffer.from('k')))
  expect(decodedSpan(concat(encode('Span', span()), field(9, pair)))?.attributes).toBe('{"k":1}')
})

test('unknown fields beside a value change nothing', () => {
  const unknown = field(40, Buffer.from('future'))
  expect(withValue(concat(unknown, value({ intValue: '1' }), unknown))).toBe('{"k":1}')
  expect(withValue(unknown)).toBe('{"k":null}')
})

test('a body in parts is one body', () => {
  const list = (text: string) => value({ arrayValue: { values: [{ stringValue: text }] } })
  const record = concat(field(5, list('a')), encode('LogRecord', { severityText: 's' }), field(5, list('b')))
  const last = concat(field(5, list('a')), field(5, value({ stringValue: 'text' })))
  decodeLogs(field(1, field(2, concat(field(2, record), field(2, last)))), LIMITS, logColumns)
  expect(logRows(logColumns).map(({ body }) => body)).toEqual(['["a","b"]', 'text'])
})

test('bodies that are no text are JSON, and no body is empty', () => {
  const values: KeyValue[] = [attribute('a', '"')]
  const bodies: (AnyValue | undefined)[] = [
    { kvlistValue: { values } },
    { intValue: '9007199254740993' },
    { doubleValue: Number.NaN },
    { bytesValue: Uint8Array.of(1) },
    { boolValue: true },
    { stringValue: '"' },
    {},
    undefined,
  ]
  const logRecords = bodies.map((body) => (body === undefined ? {} : { body }))
  decodeLogs(
    encode('ExportLogsServiceRequest', { resourceLogs: [{ scopeLogs: [{ logRecords }] }] }),
    LIMITS,
    logColumns,
  )
  expect(logRows(logColumns).map(({ body }) => body)).toEqual([
    '{"a":"\\""}',
    '"9007199254740993"',
    '"NaN"',
    '"AQ=="',
    'true',
    '"',
    '',
    '',
  ])
})

test('of several kinds of data a metric has the last, and that may come in parts', () => {
  const point = (asInt: string) => ({ timeUnixNano: String(NOW_NS), asInt })
  const metric = concat(
    encode('Metric', { gauge: { dataPoints: [point('1')] } }),
    encode('Metric', { sum: { dataPoints: [point('2')] } }),
    encode('Metric', { name: 'm', sum: { dataPoints: [point('3')], aggregationTemporality: 1, isMonotonic: true } }),
  )
  const { points } = decodeMetrics(field(1, field(2, field(2, metric))), LIMITS)
  expect(points.map(({ type, value, temporality, monotonic }) => [type, value, temporality, monotonic])).toEqual([
    ['sum', 2, 'delta', true],
    ['sum', 3, 'delta', true],
  ])
})

test('every pair of resource and scope that has spans is one origin', () => {
  const request = traces(span(), span())
  const [one] = request.resourceSpans ?? []
  const scopeSpans = [{ scope: { name: 'a' }, spans: [span()] }, { scope: { name: 'none' } }, { spans: [span()] }]
  const body = encode('ExportTraceServiceRequest', { resourceSpans: [one, { scopeSpans }, {}] })
  decodeTraces(body, LIMITS, columns)
  expect(columns.origins.map(({ serviceName, scopeName }) => [serviceName, scopeName])).toEqual([
    ['shop', ''],
    ['unknown_service', 'a'],
    ['unknown_service', ''],
  ])
  expect([...columns.originIndexes.subarray(0, columns.length)]).toEqual([0, 0, 1, 2])
})

test('every resource has its own name, where there are more than can be remembered too', () => {
  const resources = Array.from({ length: 1500 }, (_, i) => [
    service(`service-${i}`),
    attribute('number', String(i % 7)),
  ])
  const resourceSpans = resources.map((attributes) => ({ resource: { attributes }, scopeSpans: [{ spans: [span()] }] }))
  const body = encode('ExportTraceServiceRequest', { resourceSpans })
  for (let i = 0; i < 2; i++) {
    decodeTraces(body, LIMITS, columns)
    expect(columns.origins.map(({ serviceName }) => serviceName)).toEqual(resources.map((_, i) => `service-${i}`))
  }
})

test('an empty request is a request', () => {
  const nothing = { accepted: 0, rejected: 0, reason: '', truncatedAttributes: 0 }
  expect(decodeTraces(new Uint8Array(0), LIMITS, columns)).toEqual(nothing)
  expect(columns).toMatchObject({ length: 0, origins: [] })
  expect(decodeLogs(Buffer.alloc(0), LIMITS, logColumns)).toEqual(nothing)
  expect(decodeMetrics(new Uint8Array(0), LIMITS)).toEqual({ points: [], outcome: nothing })
})

test('a body is read from where it lies in its memory', () => {
  const body = encode('ExportTraceServiceRequest', traces(span({ name: 'é', attributes: [attribute('k', '\n漢')] })))
  decodeTraces(body, LIMITS, columns)
  const rows = spanRows(columns)
  const memory = Buffer.alloc(body.length + 20, 0xff)
  memory.set(body, 7)
  decodeTraces(memory.subarray(7, 7 + body.length), LIMITS, columns)
  expect(spanRows(columns)).toEqual(rows)
})
