import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LogColumns } from '../../domain/columns/log-columns.ts'
import { SpanColumns } from '../../domain/columns/span-columns.ts'
import { MalformedRequest } from '../ingest.ts'
import { decodeLogsJson, decodeMetricsJson, decodeTracesJson } from './conformance/decode-json.ts'
import { jsonForm } from './conformance/json-form.ts'
import { concat, encode, field } from './conformance/otlp-messages.ts'
import { logRows, spanRows } from './conformance/rows.ts'
import { LIMITS, RICH_LOGS, RICH_METRICS, RICH_TRACES } from './conformance/small-requests.ts'
import { decodeLogs } from './decode-logs.ts'
import { decodeMetrics } from './decode-metrics.ts'
import { decodeTraces } from './decode-traces.ts'

const spans = new SpanColumns()
const logs = new LogColumns()

interface Decoder {
  name: string
  body: Uint8Array
  /** Decodes and reads back everything, as a store would. */
  decode(body: Uint8Array): unknown
}

function readSpans(decode: typeof decodeTraces, body: Uint8Array) {
  decode(body, LIMITS, spans)
  return spanRows(spans)
}

function readLogs(decode: typeof decodeLogs, body: Uint8Array) {
  decode(body, LIMITS, logs)
  return logRows(logs)
}

const PROTOBUF: Decoder[] = [
  {
    name: 'traces',
    body: encode('ExportTraceServiceRequest', RICH_TRACES),
    decode: (body) => readSpans(decodeTraces, body),
  },
  { name: 'logs', body: encode('ExportLogsServiceRequest', RICH_LOGS), decode: (body) => readLogs(decodeLogs, body) },
  {
    name: 'metrics',
    body: encode('ExportMetricsServiceRequest', RICH_METRICS),
    decode: (body) => decodeMetrics(body, LIMITS),
  },
]
const JSON_FORMS: Decoder[] = [
  { name: 'JSON traces', body: jsonForm(RICH_TRACES), decode: (body) => readSpans(decodeTracesJson, body) },
  { name: 'JSON logs', body: jsonForm(RICH_LOGS), decode: (body) => readLogs(decodeLogsJson, body) },
  { name: 'JSON metrics', body: jsonForm(RICH_METRICS), decode: (body) => decodeMetricsJson(body, LIMITS) },
]

/** True where the body was taken, false where it was refused as it should be; any other error is thrown on. */
function isTaken(decoder: Decoder, body: Uint8Array): boolean {
  try {
    decoder.decode(body)
    return true
  } catch (error) {
    if (!(error instanceof MalformedRequest)) throw error
    expect(error.message).not.toBe('')
    return false
  }
}

describe.each([...PROTOBUF, ...JSON_FORMS])('$name', (decoder) => {
  test('are taken whole', () => {
    expect(isTaken(decoder, decoder.body)).toBe(true)
  })

  test('cut off at any byte are refused, or are a shorter message', () => {
    const taken = Array.from(decoder.body, (_, length) => isTaken(decoder, decoder.body.slice(0, length)))
    // A request of one resource has no shorter form but the empty one.
    expect(taken.filter(Boolean).length).toBeLessThanOrEqual(1)
  })

  test('with any bit turned over are refused, or are another message', () => {
    for (let bit = 0; bit < decoder.body.length * 8; bit++) {
      const body = decoder.body.slice()
      body[bit >>> 3] = (body[bit >>> 3] as number) ^ (1 << (bit & 7))
      isTaken(decoder, body)
    }
  })

  test('of random bytes are refused, or are a message by chance', () => {
    const property = fc.property(fc.uint8Array({ maxLength: 200 }), (body) => {
      isTaken(decoder, body)
    })
    fc.assert(property, { seed: 7, numRuns: 300 })
  })
})

describe.each(PROTOBUF)('$name with parts exchanged', (decoder) => {
  test('are refused, or are another message', () => {
    const place = fc.nat(decoder.body.length)
    const property = fc.property(place, place, fc.uint8Array({ maxLength: 6 }), (from, to, between) => {
      isTaken(decoder, concat(decoder.body.slice(0, from), between, decoder.body.slice(to)))
    })
    fc.assert(property, { seed: 8, numRuns: 500 })
  })
})

describe('what is wrong is said', () => {
  test.each<[string, Uint8Array, string]>([
    ['a length beyond the end', Uint8Array.of(0x0a, 0x05, 0x00), 'byte 2: a length goes beyond the end of its message'],
    ['a length of more than 32 bits', Uint8Array.of(0x0a, 0xff, 0xff, 0xff, 0xff, 0x7f), 'a length goes beyond'],
    ['a length that is cut off', Uint8Array.of(0x0a, 0x80), 'a number is cut off'],
    ['a number of 11 bytes', concat(Uint8Array.of(0x10), new Uint8Array(10).fill(0x80)), 'more than 10 bytes'],
    ['field number 0', Uint8Array.of(0x02, 0x00), 'a number that no field can have'],
    ['wire type 6', Uint8Array.of(0x16), 'the wire type 6'],
    ['a group that does not end', Uint8Array.of(0x13, 0x08, 0x01), 'a group does not end'],
    ['a group that ends as another', Uint8Array.of(0x13, 0x1c), 'a group ends that did not begin'],
    ['an end without a group', Uint8Array.of(0x14), 'the wire type 4'],
    ['groups nested without a bound', new Uint8Array(100_000).fill(0x13), 'nested deeper than 100'],
    ['a number where a message belongs', Uint8Array.of(0x08, 0x01), 'ExportTraceServiceRequest.resource_spans has the'],
    [
      'a number where a text belongs',
      field(1, field(2, field(2, Uint8Array.of(0x28, 0x01)))),
      'byte 7: Span.name has the wrong wire type 0',
    ],
  ])('%s', (_, body, message) => {
    const decode = () => decodeTraces(body, LIMITS, spans)
    expect(decode).toThrow(MalformedRequest)
    expect(decode).toThrow(message)
    expect(decode).toThrow('ExportTraceServiceRequest, byte ')
  })

  test('fields with the highest numbers are passed over, and beyond them there are none', () => {
    const [highest, beyond] = [0xffff_fff8, 0x1_0000_0000].map((tag) => {
      const bytes = [0, 7, 14, 21, 28].map((shift) => (Math.floor(tag / 2 ** shift) & 0x7f) | 0x80)
      return Uint8Array.of(...bytes.slice(0, 4), (bytes[4] as number) & 0x7f, 0x01)
    }) as [Uint8Array, Uint8Array]
    const body = encode('ExportTraceServiceRequest', RICH_TRACES)
    expect(decodeTraces(concat(highest, body, highest), LIMITS, spans).accepted).toBe(1)
    expect(() => decodeTraces(concat(body, beyond), LIMITS, spans)).toThrow('a number that no field can have')
  })

  test('a length that only more than 31 bits hold is beyond the end', () => {
    for (const high of [0x07, 0x08, 0x0f, 0x10, 0x7f]) {
      const body = Uint8Array.of(0x0a, 0xff, 0xff, 0xff, 0xff, high, 0x00)
      expect(() => decodeTraces(body, LIMITS, spans)).toThrow('byte 6: a length goes beyond the end of its message')
    }
  })

  test('groups and fields that nobody knows are passed over', () => {
    const group = Uint8Array.of(0x13, 0x0a, 0x01, 0x61, 0x1b, 0x1c, 0x14)
    const body = concat(group, encode('ExportTraceServiceRequest', RICH_TRACES), group)
    expect(decodeTraces(body, LIMITS, spans).accepted).toBe(1)
  })
})
