import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LogColumns } from '../../domain/columns/log-columns.ts'
import { SpanColumns } from '../../domain/columns/span-columns.ts'
import { concat, encode, field } from './conformance/otlp-messages.ts'
import { logRows, spanRows } from './conformance/rows.ts'
import { LIMITS, span } from './conformance/small-requests.ts'
import { decodeLogs } from './decode-logs.ts'
import { decodeMetrics } from './decode-metrics.ts'
import { decodeTraces } from './decode-traces.ts'

const columns = new SpanColumns()
const logColumns = new LogColumns()

/** Decodes a span whose every text is these bytes. */
function withText(text: Uint8Array) {
  const pair = concat(field(1, text), field(2, field(1, text)))
  const fields = [field(5, text), field(3, text), field(9, pair), field(15, field(2, text)), field(11, field(2, text))]
  const scope = concat(
    field(1, concat(field(1, text), field(2, text))),
    field(2, concat(encode('Span', span()), ...fields)),
  )
  const resource = field(1, field(1, concat(field(1, Buffer.from('service.name')), field(2, field(1, text)))))
  const outcome = decodeTraces(field(1, concat(resource, field(2, scope))), LIMITS, columns)
  expect(outcome.accepted).toBe(1)
  return { outcome, row: spanRows(columns)[0] as NonNullable<ReturnType<typeof spanRows>[0]> }
}

describe('invalid UTF-8 becomes U+FFFD, as everywhere on the web', () => {
  test.each<[string, number[]]>([
    ['a lone continuation byte', [0x61, 0x80, 0x62]],
    ['a start without its continuation', [0xc3]],
    ['a start before ASCII', [0xe2, 0x82, 0x41]],
    ['an overlong form', [0xc0, 0xaf, 0xe0, 0x80, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['beyond Unicode', [0xf4, 0x90, 0x80, 0x80]],
    ['bytes that never occur', [0xff, 0xfe, 0x22, 0x5c, 0x0a]],
    ['a character cut off behind a good one', [0xf0, 0x9f, 0x98, 0x80, 0xf0, 0x9f]],
  ])('%s', (_, bytes) => {
    const text = new TextDecoder().decode(Uint8Array.from(bytes))
    const { row } = withText(Uint8Array.from(bytes))
    expect(row.operation).toBe(text)
    expect(row.traceState).toBe(text)
    expect(row.statusMessage).toBe(text)
    expect(row.attributes).toBe(JSON.stringify({ [text]: text }))
    expect(JSON.parse(row.events)[0].name).toBe(text)
    expect(row.origin).toEqual({
      serviceName: text,
      resourceJson: JSON.stringify({ 'service.name': text }),
      scopeName: text,
      scopeVersion: text,
    })
  })

  test('in bodies, severities and names of metrics too', () => {
    const bytes = Uint8Array.of(0x61, 0xff)
    const record = concat(field(3, bytes), field(5, field(1, bytes)), field(12, bytes))
    decodeLogs(field(1, field(2, field(2, record))), LIMITS, logColumns)
    expect(logRows(logColumns)[0]).toMatchObject({ body: 'a\ufffd', severityText: 'a\ufffd', eventName: 'a\ufffd' })
    const time = encode('NumberDataPoint', { timeUnixNano: String(LIMITS.nowNs) })
    const metric = concat(field(1, bytes), field(2, bytes), field(3, bytes), field(5, field(1, time)))
    const { points } = decodeMetrics(field(1, field(2, field(2, metric))), LIMITS)
    expect(points[0]).toMatchObject({ name: 'a\ufffd', description: 'a\ufffd', unit: 'a\ufffd' })
  })

  test('and is within the limit of 64 KiB afterwards', () => {
    const { row } = withText(new Uint8Array(60_000).fill(0xff))
    const kept = '\ufffd'.repeat(Math.floor(65_536 / 3))
    expect(row.operation).toBe(kept)
    expect(Object.values(JSON.parse(row.attributes))).toEqual([kept])
    expect(row.dropped).toBe(5)
  })

  test('and may make two keys one', () => {
    const pairs = [0x80, 0x81].map((byte) => field(9, concat(field(1, Uint8Array.of(byte)), field(2, Uint8Array.of()))))
    const body = concat(encode('Span', span()), ...pairs)
    decodeTraces(field(1, field(2, field(2, body))), LIMITS, columns)
    expect(spanRows(columns)[0]).toMatchObject({ attributes: '{"\ufffd":null}', dropped: 1 })
  })
})

test('U+0000 is kept in JSON and is U+FFFD in plain text', () => {
  const { row } = withText(Buffer.from('a\0b'))
  expect(row.operation).toBe('a\ufffdb')
  expect(row.attributes).toBe('{"a\\u0000b":"a\\u0000b"}')
  expect(row.origin.serviceName).toBe('a\ufffdb')
  expect(row.origin.resourceJson).toBe('{"service.name":"a\\u0000b"}')
})

test('text of any bytes is what JSON.stringify makes of it', () => {
  const piece = fc.oneof(
    { weight: 4, arbitrary: fc.string({ maxLength: 9 }).map((text) => Buffer.from(text)) },
    fc.constantFrom('\n', '"', '\\', 'é', '漢', '😀', '\x01', '\x7f').map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes)),
  )
  const property = fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
    const bytes = concat(...pieces)
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
    const { row } = withText(bytes)
    expect(row.attributes).toBe(JSON.stringify({ [text]: text }))
    expect(row.operation).toBe(text.replaceAll('\0', '\ufffd'))
  })
  fc.assert(property, { seed: 20_240_615, numRuns: 500 })
})

test('every character of ASCII is escaped as JSON.stringify does', () => {
  const ascii = String.fromCharCode(...Array.from({ length: 128 }, (_, i) => i))
  expect(withText(Buffer.from(ascii)).row.attributes).toBe(JSON.stringify({ [ascii]: ascii }))
})
