import { beforeEach, describe, expect, test } from 'vitest'
import { LogColumns } from '../../domain/columns/log-columns.ts'
import { SpanColumns } from '../../domain/columns/span-columns.ts'
import { TextColumn } from '../../domain/columns/text-column.ts'
import { decodeLogsJson, decodeTracesJson } from './conformance/decode-json.ts'
import { jsonForm } from './conformance/json-form.ts'
import { concat, encode, field } from './conformance/otlp-messages.ts'
import { logRows, type SpanRow, spanRows } from './conformance/rows.ts'
import type { AnyValue, KeyValue, LogRecord, Span } from './conformance/shapes.ts'
import { attribute, LIMITS, logs, metrics, service, span, traces } from './conformance/small-requests.ts'
import { decodeLogs } from './decode-logs.ts'
import { decodeMetrics } from './decode-metrics.ts'
import { decodeTraces } from './decode-traces.ts'
import { reserve } from './reserve.ts'

const KIB_64 = 64 * 1024
const spanColumns = new SpanColumns()
const logColumns = new LogColumns()
let truncated = 0

beforeEach(() => {
  truncated = 0
})

/** Decodes one span by both encodings, which must agree. */
function decoded(over: Span): SpanRow {
  const request = traces(span(over))
  truncated = decodeTraces(encode('ExportTraceServiceRequest', request), LIMITS, spanColumns).truncatedAttributes
  const [row] = spanRows(spanColumns)
  expect(decodeTracesJson(jsonForm(request), LIMITS, spanColumns).truncatedAttributes).toBe(truncated)
  expect(spanRows(spanColumns)).toEqual([row])
  return row as SpanRow
}

function decodedLog(record: LogRecord) {
  const request = logs(record)
  truncated = decodeLogs(encode('ExportLogsServiceRequest', request), LIMITS, logColumns).truncatedAttributes
  const [row] = logRows(logColumns)
  expect(decodeLogsJson(jsonForm(request), LIMITS, logColumns).truncatedAttributes).toBe(truncated)
  expect(logRows(logColumns)).toEqual([row])
  return row as NonNullable<typeof row>
}

function numbered(count: number): KeyValue[] {
  return Array.from({ length: count }, (_, i) => attribute(`k${i}`, 'v'))
}

function nested(depth: number): AnyValue {
  return depth === 1 ? { stringValue: 'deep' } : { arrayValue: { values: [nested(depth - 1)] } }
}

describe('attributes', () => {
  test('up to 256 are kept', () => {
    const row = decoded({ attributes: numbered(256), droppedAttributesCount: 5 })
    expect(Object.keys(JSON.parse(row.attributes))).toHaveLength(256)
    expect(row.dropped).toBe(5)
    expect(truncated).toBe(0)
  })

  test('beyond 256 are left out and counted, on top of what the sender dropped', () => {
    const row = decoded({ attributes: numbered(300), droppedAttributesCount: 5 })
    expect(Object.keys(JSON.parse(row.attributes))).toEqual(numbered(256).map(({ key }) => key))
    expect(row.dropped).toBe(49)
    expect(truncated).toBe(44)
  })

  test('keep the first of equal keys', () => {
    const row = decoded({ attributes: [attribute('a', '1'), attribute('b', '2'), attribute('a', '3')] })
    expect(row.attributes).toBe('{"a":"1","b":"2"}')
    expect(row.dropped).toBe(1)
  })

  test('with keys that are alike are all kept', () => {
    const attributes = [attribute('aXaaaaaa', '1'), attribute('aYaaaaaa', '2'), attribute('', '3')]
    expect(decoded({ attributes }).attributes).toBe('{"aXaaaaaa":"1","aYaaaaaa":"2","":"3"}')
  })

  test('are unique inside maps too', () => {
    const values = [attribute('a', '1'), attribute('a', '2')]
    const row = decoded({ attributes: [{ key: 'm', value: { kvlistValue: { values } } }, attribute('a', '3')] })
    expect(row.attributes).toBe('{"m":{"a":"1"},"a":"3"}')
    expect(row.dropped).toBe(1)
  })

  test('of events and of links have the same limits', () => {
    const attributes = numbered(258)
    const row = decoded({ events: [{ name: 'e', attributes }, { attributes }], links: [{ attributes }] })
    expect(Object.keys(JSON.parse(row.events)[1].attributes)).toHaveLength(256)
    expect(Object.keys(JSON.parse(row.links)[0].attributes)).toHaveLength(256)
    expect(row.dropped).toBe(6)
    expect(truncated).toBe(6)
  })

  test('of a resource have the same limits and are no fault of its spans', () => {
    const request = traces(span())
    request.resourceSpans?.[0]?.resource?.attributes?.push(...numbered(300))
    const outcome = decodeTraces(encode('ExportTraceServiceRequest', request), LIMITS, spanColumns)
    expect(outcome.truncatedAttributes).toBe(45)
    expect(Object.keys(JSON.parse(spanColumns.origins[0]?.resourceJson ?? ''))).toHaveLength(256)
    expect(spanRows(spanColumns)[0]?.dropped).toBe(0)
  })

  test('with a key of over 64 KiB have it cut', () => {
    const row = decoded({ attributes: [attribute('k'.repeat(KIB_64 + 1), 'v')] })
    expect(Object.keys(JSON.parse(row.attributes))).toEqual(['k'.repeat(KIB_64)])
    expect(row.dropped).toBe(1)
  })
})

describe('values', () => {
  test('of 64 KiB are kept whole', () => {
    const row = decoded({ attributes: [attribute('a', '"'.repeat(KIB_64))] })
    expect(JSON.parse(row.attributes).a).toBe('"'.repeat(KIB_64))
    expect(row.dropped).toBe(0)
  })

  test.each(['é', '漢', '😀'])('of over 64 KiB are cut between two characters: %s', (character) => {
    for (const shift of ['', 'a', 'aa', 'aaa']) {
      const text = shift + character.repeat(KIB_64)
      const row = decoded({ attributes: [attribute('a', text)], name: text, status: { message: text } })
      const kept: string = JSON.parse(row.attributes).a
      const size = Buffer.byteLength(kept)
      expect(text.startsWith(kept)).toBe(true)
      expect(size).toBeLessThanOrEqual(KIB_64)
      expect(size).toBeGreaterThan(KIB_64 - 4)
      expect(row.operation).toBe(kept)
      expect(row.statusMessage).toBe(kept)
      expect(row.dropped).toBe(3)
      expect(truncated).toBe(3)
    }
  })

  test('of bytes are cut to 64 KiB of base64', () => {
    const row = decoded({ attributes: [{ key: 'b', value: { bytesValue: new Uint8Array(KIB_64).fill(7) } }] })
    const kept = Buffer.from(JSON.parse(row.attributes).b, 'base64')
    expect(kept).toEqual(Buffer.alloc(49_152, 7))
    expect(row.dropped).toBe(1)
  })

  test('that are lists keep what fits into 64 KiB', () => {
    const values = Array.from({ length: 100 }, () => ({ stringValue: 'x'.repeat(1000) }))
    const row = decoded({ attributes: [{ key: 'l', value: { arrayValue: { values } } }, attribute('after', 'v')] })
    const kept = JSON.parse(row.attributes)
    expect(JSON.stringify(kept.l).length).toBeLessThanOrEqual(KIB_64 + 16)
    expect(kept.l).toHaveLength(66)
    expect(kept.after).toBe('v')
    expect(row.dropped).toBe(1)
  })

  test('that are maps keep what fits into 64 KiB', () => {
    const values = Array.from({ length: 100 }, (_, i) => attribute(`k${i}`, 'x'.repeat(1000)))
    const row = decoded({ attributes: [{ key: 'm', value: { kvlistValue: { values } } }] })
    expect(row.attributes.length).toBeLessThanOrEqual(KIB_64 + 1100)
    expect(row.dropped).toBe(1)
  })

  test('at a depth of 16 are kept, deeper ones are null and counted', () => {
    const kept = decoded({ attributes: [{ key: 'a', value: nested(16) }] })
    expect(kept.attributes).toBe(`{"a":${'['.repeat(15)}"deep"${']'.repeat(15)}}`)
    expect(kept.dropped).toBe(0)
    const cut = decoded({ attributes: [{ key: 'a', value: nested(17) }] })
    expect(cut.attributes).toBe(`{"a":${'['.repeat(16)}null${']'.repeat(16)}}`)
    expect(cut.dropped).toBe(1)
  })

  test('of any depth are harmless', () => {
    let value = Uint8Array.of(0x10, 0x01)
    for (let depth = 0; depth < 5000; depth++) value = field(5, field(1, value))
    const attributes = field(9, concat(field(1, Buffer.from('a')), field(2, value)))
    const body = field(1, field(2, field(2, concat(encode('Span', span()), attributes))))
    expect(decodeTraces(body, LIMITS, spanColumns)).toMatchObject({ accepted: 1, truncatedAttributes: 1 })
    const json = `{"resourceSpans":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    const decode = () => decodeTracesJson(Buffer.from(json), LIMITS, spanColumns)
    expect(decode).toThrow('resourceSpans[0]: expected an object')
  })
})

describe('spans', () => {
  test('keep 1,024 events and 1,024 links', () => {
    const events = Array.from({ length: 1030 }, (_, i) => ({ name: `e${i}` }))
    const links = Array.from({ length: 1025 }, () => ({ spanId: new Uint8Array(8).fill(1) }))
    const row = decoded({ events, links })
    expect(JSON.parse(row.events).map(({ name }: { name: string }) => name)).toEqual(
      events.slice(0, 1024).map(({ name }) => name),
    )
    expect(JSON.parse(row.links)).toHaveLength(1024)
    expect(row.dropped).toBe(7)
    expect(truncated).toBe(7)
  })

  test('count no further than 32 bits', () => {
    expect(decoded({ attributes: numbered(300), droppedAttributesCount: 2 ** 32 - 1 }).dropped).toBe(2 ** 32 - 1)
  })
})

describe('log bodies', () => {
  test('of over 64 KiB are cut and counted', () => {
    const row = decodedLog({ body: { stringValue: 'é'.repeat(KIB_64) } })
    expect(row.body).toBe('é'.repeat(KIB_64 / 2))
    expect(row.dropped).toBe(1)
    expect(truncated).toBe(1)
  })

  test('that are lists stay JSON when they are cut', () => {
    const values = Array.from({ length: 100 }, () => ({ stringValue: 'x'.repeat(1000) }))
    const row = decodedLog({ body: { arrayValue: { values } } })
    expect(JSON.parse(row.body)).toHaveLength(66)
    expect(row.dropped).toBe(1)
  })
})

describe('metrics', () => {
  test('have the same limits on attributes and on texts', () => {
    const timeUnixNano = String(LIMITS.nowNs)
    const request = metrics({
      name: 'n'.repeat(KIB_64 + 1),
      gauge: { dataPoints: [{ timeUnixNano, asInt: '1', attributes: numbered(300) }] },
    })
    const { points, outcome } = decodeMetrics(encode('ExportMetricsServiceRequest', request), LIMITS)
    expect(points[0]?.name).toBe('n'.repeat(KIB_64))
    expect(Object.keys(points[0]?.attributes ?? {})).toHaveLength(256)
    expect(outcome.truncatedAttributes).toBe(45)
  })

  test('with too many buckets are refused', () => {
    const timeUnixNano = String(LIMITS.nowNs)
    const point = (count: number) => ({ timeUnixNano, bucketCounts: new Array(count).fill('1') })
    const request = metrics({ name: 'h', histogram: { dataPoints: [point(10_000), point(10_001)] } })
    const { points, outcome } = decodeMetrics(encode('ExportMetricsServiceRequest', request), LIMITS)
    expect(points).toHaveLength(1)
    expect(outcome).toMatchObject({ accepted: 1, rejected: 1 })
    expect(outcome.reason).toBe('1 data point has more than 10000 buckets or quantiles')
  })
})

test('text that grows without a bound is refused before there is memory for it', () => {
  const column = new TextColumn()
  column.byteLength = 256 * 1024 * 1024 - 1
  expect(() => reserve(column, 2)).toThrow('more than 256 MiB of text')
  expect(column.bytes.length).toBeLessThan(1024 * 1024)
})

test('names of services stay within the limits of a text', () => {
  const request = traces(span())
  request.resourceSpans?.[0]?.resource?.attributes?.splice(0, 1, service(`a\0${'b'.repeat(KIB_64)}`))
  decodeTraces(encode('ExportTraceServiceRequest', request), LIMITS, spanColumns)
  expect(spanColumns.origins[0]?.serviceName).toBe(`a\ufffd${'b'.repeat(KIB_64 - 2)}`)
})
