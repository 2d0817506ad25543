import { describe, expect, test } from 'vitest'
import { LogColumns } from '../../../domain/columns/log-columns.ts'
import { SpanColumns } from '../../../domain/columns/span-columns.ts'
import { MalformedRequest } from '../../ingest.ts'
import { decodeLogsJson, decodeMetricsJson, decodeTracesJson } from '../conformance/decode-json.ts'
import { logRows, spanRows } from '../conformance/rows.ts'
import { LIMITS, NOW_NS } from '../conformance/small-requests.ts'

const columns = new SpanColumns()
const logColumns = new LogColumns()

const SPAN = {
  traceId: '0123456789abcdefABCDEF0123456789',
  spanId: 'ABCDEF0123456789',
  name: 'n',
  startTimeUnixNano: String(NOW_NS),
  endTimeUnixNano: String(NOW_NS + 5n),
}

function send(over: object) {
  const body = { resourceSpans: [{ scopeSpans: [{ spans: [{ ...SPAN, ...over }] }] }] }
  return sendText(JSON.stringify(body))
}

function sendText(text: string) {
  const outcome = decodeTracesJson(Buffer.from(text), LIMITS, columns)
  return { outcome, row: spanRows(columns)[0] }
}

test('ids are hex in any letter case', () => {
  expect(send({ parentSpanId: '00000000000000Ff' }).row).toMatchObject({
    traceId: '0123456789abcdefabcdef0123456789',
    spanId: 'abcdef0123456789',
    parentId: '00000000000000ff',
  })
})

test('a span without valid ids is refused, not the request', () => {
  expect(send({ traceId: '' }).outcome.reason).toBe('1 span has no valid trace id')
  expect(send({ traceId: null }).outcome.reason).toBe('1 span has no valid trace id')
  expect(send({ spanId: 'abcd' }).outcome.reason).toBe('1 span has no valid span id')
})

test('64-bit integers are strings or numbers', () => {
  const startNs = 1_750_000_000_000_000_000
  const { row } = send({ startTimeUnixNano: startNs, endTimeUnixNano: '1750000000000000007' })
  expect(row).toMatchObject({ startNs: 1_750_000_000_000_000_000n, durationNs: 7n })
  const exponent = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [SPAN] }] }] }).replaceAll(
    /"1750\d+"/g,
    '1.75e18',
  )
  expect(sendText(exponent).row?.startNs).toBe(1_750_000_000_000_000_000n)
})

test('enums are numbers or names', () => {
  expect(send({ kind: 2, status: { code: 2 } }).row).toMatchObject({ kind: 2, status: 2 })
  const names = { kind: 'SPAN_KIND_CONSUMER', status: { code: 'STATUS_CODE_ERROR' } }
  expect(send(names).row).toMatchObject({ kind: 5, status: 2 })
  expect(send({ kind: 77, status: { code: -1 } }).row).toMatchObject({ kind: 0, status: 0 })
  const logRecords = [{ severityNumber: 'SEVERITY_NUMBER_ERROR2' }, { severityNumber: 24 }]
  const body = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] })
  decodeLogsJson(Buffer.from(body), LIMITS, logColumns)
  expect(logRows(logColumns).map(({ severityNumber }) => severityNumber)).toEqual([18, 24])
})

test('every kind of value has its form', () => {
  const values = [
    { stringValue: 'é' },
    { boolValue: false },
    { intValue: '9007199254740993' },
    { intValue: -5 },
    { doubleValue: 1.5 },
    { doubleValue: 'NaN' },
    { doubleValue: '-Infinity' },
    { doubleValue: '2.5e3' },
    { bytesValue: 'AQI=' },
    { bytesValue: '-_8' },
    { arrayValue: {} },
    { kvlistValue: { values: [{ key: 'k' }] } },
    {},
    { stringValue: null },
  ]
  const { row } = send({ attributes: [{ key: 'a', value: { arrayValue: { values } } }] })
  expect(row?.attributes).toBe(
    '{"a":["é",false,"9007199254740993",-5,1.5,"NaN","-Infinity",2500,"AQI=","+/8=",[],{"k":null},null,null]}',
  )
})

test('unknown names are ignored, and null is nothing', () => {
  const over = { future: { deep: [1] }, trace_state: 'x', traceState: null, attributes: null, events: [{ new: 1 }] }
  const { row, outcome } = send(over)
  expect(outcome.accepted).toBe(1)
  expect(row).toMatchObject({
    traceState: '',
    attributes: '',
    events: '[{"name":"","timeUnixNano":"0","attributes":{}}]',
  })
})

test('names that mean something to JavaScript are only names', () => {
  const text = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [{ ...SPAN, x: 1 }] }] }] })
  const { row } = sendText(
    text.replace(
      '"x":1',
      '"__proto__":{"kind":3},"constructor":1,"toString":{},"hasOwnProperty":[],' +
        '"attributes":[{"key":"__proto__","value":{"kvlistValue":{"values":[{"key":"__proto__","value":{"intValue":1}}]}}}]',
    ),
  )
  expect(row).toMatchObject({ kind: 0, attributes: '{"__proto__":{"__proto__":1}}' })
  expect(Reflect.get({}, 'kind')).toBeUndefined()
  const point = {
    timeUnixNano: String(NOW_NS),
    asInt: 1,
    attributes: [{ key: '__proto__', value: { stringValue: 'v' } }],
  }
  const metrics = [{ name: 'm', gauge: { dataPoints: [point] } }]
  const body = JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics }] }] })
  const { points } = decodeMetricsJson(Buffer.from(body), LIMITS)
  expect(Object.entries(points[0]?.attributes ?? {})).toEqual([['__proto__', 'v']])
})

test('unpaired surrogates and invalid UTF-8 become U+FFFD', () => {
  const text = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [{ ...SPAN, name: 'a\ud800b' }] }] }] })
  expect(sendText(text).row?.operation).toBe('a\ufffdb')
  const bytes = Buffer.from(text.replace('a\\ud800b', 'a\u007fb'))
  bytes[bytes.indexOf(0x7f)] = 0xff
  decodeTracesJson(bytes, LIMITS, columns)
  expect(spanRows(columns)[0]?.operation).toBe('a\ufffdb')
})

describe('what is wrong is named', () => {
  const path = 'resourceSpans[0].scopeSpans[0].spans[0]'
  test.each<[object, string]>([
    [{ startTimeUnixNano: 'soon' }, `${path}.startTimeUnixNano: expected an unsigned integer`],
    [{ startTimeUnixNano: -1 }, `${path}.startTimeUnixNano: expected an unsigned integer`],
    [{ startTimeUnixNano: 1.5 }, `${path}.startTimeUnixNano: expected an unsigned integer`],
    [{ startTimeUnixNano: '18446744073709551616' }, `${path}.startTimeUnixNano: expected an unsigned integer`],
    [{ startTimeUnixNano: {} }, `${path}.startTimeUnixNano: expected an unsigned integer`],
    [{ flags: 2 ** 32 }, `${path}.flags: expected an unsigned integer`],
    [{ name: 5 }, `${path}.name: expected a string`],
    [{ traceId: 'xyz' }, `${path}.traceId: expected hex digits, two for each byte`],
    [{ traceId: 'EjRWeJCrze8SNFZ4kKvN7w==' }, `${path}.traceId: expected hex digits, two for each byte`],
    [{ kind: 'SERVER' }, `${path}.kind: expected a number or a name such as SPAN_KIND_CONSUMER`],
    [{ kind: true }, `${path}.kind: expected a number or a name such as SPAN_KIND_CONSUMER`],
    [{ status: 'ERROR' }, `${path}.status: expected an object`],
    [{ status: [] }, `${path}.status: expected an object`],
    [{ attributes: {} }, `${path}.attributes: expected an array`],
    [{ attributes: [{}, 'x'] }, `${path}.attributes[1]: expected an object`],
    [{ attributes: [null] }, `${path}.attributes[0]: expected an object`],
    [{ attributes: [{ value: { boolValue: 1 } }] }, `${path}.attributes[0].value.boolValue: expected true or false`],
    [{ attributes: [{ value: { intValue: '1.5' } }] }, `${path}.attributes[0].value.intValue: expected an integer`],
    [{ attributes: [{ value: { doubleValue: 'x' } }] }, `${path}.attributes[0].value.doubleValue: expected a number`],
    [
      { attributes: [{ value: { bytesValue: '!' } }] },
      `${path}.attributes[0].value.bytesValue: expected bytes in base64`,
    ],
    [
      { attributes: [{ value: { arrayValue: { values: [{ stringValue: 1 }] } } }] },
      `${path}.attributes[0].value.arrayValue.values[0].stringValue: expected a string`,
    ],
  ])('%j', (over, message) => {
    expect(() => send(over)).toThrow(new MalformedRequest(message))
  })

  test.each([
    ['', 'the body is not JSON'],
    ['{', 'the body is not JSON'],
    ['{"resourceSpans":[]} x', 'the body is not JSON'],
    ['[]', 'the body: expected an object'],
    ['null', 'the body: expected an object'],
    ['"text"', 'the body: expected an object'],
  ])('%j', (text, message) => {
    expect(() => sendText(text)).toThrow(MalformedRequest)
    expect(() => sendText(text)).toThrow(message)
  })
})

test('a body of more values than memory should hold is refused before it is parsed', () => {
  const many = Buffer.from(`{"x":[${'{},'.repeat(5_500_000)}{}]}`)
  expect(() => decodeTracesJson(many, LIMITS, columns)).toThrow('the body has more than 10000000 values')
  const text = Buffer.from(`{"x":"${'\\"{},'.repeat(2_500_000)}"}`)
  expect(decodeTracesJson(text, LIMITS, columns).accepted).toBe(0)
})

test('an empty object is an empty request', () => {
  expect(sendText('{}').outcome).toEqual({ accepted: 0, rejected: 0, reason: '', truncatedAttributes: 0 })
  expect(decodeMetricsJson(Buffer.from('{}'), LIMITS).points).toEqual([])
})
