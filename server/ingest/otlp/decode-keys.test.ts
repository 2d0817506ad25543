import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SpanColumns } from '../../domain/columns/span-columns.ts'
import { concat, encode, field } from './conformance/otlp-messages.ts'
import { spanRows } from './conformance/rows.ts'
import { LIMITS, span } from './conformance/small-requests.ts'
import { decodeTraces } from './decode-traces.ts'

const columns = new SpanColumns()

/** A map in a test: keys as bytes, each with a text or another map. */
type Pairs = [key: Uint8Array, value: string | Pairs][]

function pairsBytes(number: number, pairs: Pairs): Uint8Array {
  const all = pairs.map(([key, value]) => {
    const content = typeof value === 'string' ? field(1, Buffer.from(value)) : field(6, pairsBytes(1, value))
    return field(number, concat(field(1, key), field(2, content)))
  })
  return concat(...all)
}

/** What must become of it: keys as text, of equal ones the first. */
function expected(pairs: Pairs): Map<string, unknown> {
  const map = new Map<string, unknown>()
  for (const [key, value] of pairs) {
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(key)
    if (!map.has(text)) map.set(text, typeof value === 'string' ? value : expected(value))
  }
  return map
}

function jsonOf(map: Map<string, unknown>): string {
  const pairs = [...map].map(
    ([key, value]) => `${JSON.stringify(key)}:${value instanceof Map ? jsonOf(value) : JSON.stringify(value)}`,
  )
  return `{${pairs.join(',')}}`
}

function decoded(...parts: Uint8Array[]) {
  const body = field(1, field(2, field(2, concat(encode('Span', span()), ...parts))))
  decodeTraces(body, LIMITS, columns)
  return spanRows(columns)[0]
}

function attributesOf(pairs: Pairs): string | undefined {
  return decoded(pairsBytes(9, pairs))?.attributes
}

function text(key: string, value: string | Pairs = 'v'): Pairs[number] {
  return [Buffer.from(key), value]
}

describe('of equal keys the first is kept', () => {
  test.each([
    ['known ones', 'http.route'],
    ['short ones', 'ab'],
    ['the empty one', ''],
    ['ones with escapes', 'a "quoted" key'],
    ['ones beyond ASCII', 'schlüssel'],
    ['the longest that is remembered', 'k'.repeat(64)],
    ['the shortest that is not', 'k'.repeat(65)],
    ['long ones', 'k'.repeat(1000)],
  ])('%s', (_, key) => {
    const pairs = [text(key, '1'), text('between', '2'), text(key, '3'), text('after', '4'), text(key, '5')]
    // The first request may teach what the second one knows.
    for (let i = 0; i < 2; i++) expect(attributesOf(pairs)).toBe(jsonOf(expected(pairs)))
  })

  test('in maps that have keys of the maps around them, before and behind', () => {
    const inner: Pairs = [text('outer.key', '1'), text('inner.key', '2'), text('outer.key', '3'), text('a', '4')]
    const pairs: Pairs = [
      text('outer.key', '1'),
      text('a', '2'),
      text('a.map', [...inner, text('a.map', inner), text('inner.key', '5'), text('a', '6')]),
      text('outer.key', '7'),
      text('inner.key', '8'),
      text('a.map', '9'),
      text('a', '10'),
      text('inner.key', '11'),
    ]
    expect(attributesOf(pairs)).toBe(jsonOf(expected(pairs)))
    expect(decoded(pairsBytes(9, pairs))?.dropped).toBe(5)
  })

  test('in a span whose events and links have the same keys and stand between its attributes', () => {
    const pairs: Pairs = [text('some.key', '1'), text('other.key', '2')]
    const row = decoded(
      pairsBytes(9, pairs),
      field(11, pairsBytes(3, pairs)),
      pairsBytes(9, [text('some.key', '3')]),
      field(13, pairsBytes(4, [...pairs, text('other.key', '4')])),
      pairsBytes(9, [text('other.key', '5'), text('third.key', '6')]),
    )
    expect(row?.attributes).toBe('{"some.key":"1","other.key":"2","third.key":"6"}')
    expect(JSON.parse(row?.events ?? '')[0].attributes).toEqual({ 'some.key': '1', 'other.key': '2' })
    expect(JSON.parse(row?.links ?? '')[0].attributes).toEqual({ 'some.key': '1', 'other.key': '2' })
    expect(row?.dropped).toBe(3)
  })

  test('where more keys came than are remembered', () => {
    const spans = Array.from({ length: 40 }, (_, i) =>
      Array.from({ length: 100 }, (_, k) => text(`many.keys.${i}.${k % 90}`, String(k))),
    )
    const encoded = spans.map((pairs) => field(2, concat(encode('Span', span()), pairsBytes(9, pairs))))
    for (let i = 0; i < 3; i++) {
      decodeTraces(field(1, field(2, concat(...encoded))), LIMITS, columns)
      expect(spanRows(columns).map(({ attributes }) => attributes)).toEqual(
        spans.map((pairs) => jsonOf(expected(pairs))),
      )
      expect(spanRows(columns).map(({ dropped }) => dropped)).toEqual(spans.map(() => 10))
    }
  })

  test('after a request that broke off inside a map', () => {
    const pairs: Pairs = [text('some.key', '1'), text('a.map', [text('some.key', '2'), text('inner.key', '3')])]
    const whole = field(1, field(2, field(2, concat(encode('Span', span()), pairsBytes(9, pairs)))))
    const broken = whole.slice()
    broken.set([0xff, 0xff], broken.length - 3)
    expect(() => decodeTraces(broken, LIMITS, columns)).toThrow()
    expect(attributesOf(pairs)).toBe(jsonOf(expected(pairs)))
  })
})

test('keys of every kind and in any order are what they are', () => {
  const key = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('http.route', 'http.method', 'url.full', 'a', 'b.cd', 'a.map', 'x"y') },
    { weight: 2, arbitrary: fc.string({ unit: fc.constantFrom('a', 'b', '.', '"', 'é', '\n'), maxLength: 9 }) },
    { weight: 1, arbitrary: fc.integer({ min: 62, max: 67 }).map((length) => 'k'.repeat(length)) },
  )
  const bytes = fc.oneof(
    { weight: 8, arbitrary: key.map((text): Uint8Array => Uint8Array.from(Buffer.from(text))) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 6 }) },
  )
  const { pairs } = fc.letrec<{ pairs: Pairs }>((tie) => ({
    pairs: fc.array(
      fc.tuple(
        bytes,
        fc.oneof(
          { maxDepth: 4 },
          { weight: 5, arbitrary: fc.string({ maxLength: 5 }) },
          { weight: 1, arbitrary: tie('pairs') },
        ),
      ),
      { maxLength: 12 },
    ),
  }))
  const property = fc.property(pairs, (pairs) => {
    expect(attributesOf(pairs)).toBe(pairs.length === 0 ? '' : jsonOf(expected(pairs)))
  })
  fc.assert(property, { seed: 20_240_613, numRuns: 400 })
})

test('a number stands for a set of keys in one order, however the keys came to be known', () => {
  const keySetOf = (keys: string[]) => {
    attributesOf(keys.map((key) => text(key)))
    return [...columns.keySetHalves.subarray(0, 2)]
  }
  const key = 'first.seen.in.this.test'
  const first = keySetOf(['http.route', key, 'id'])
  expect(keySetOf(['http.route', key, 'id'])).toEqual(first)
  expect(keySetOf(['http.route', key, 'id2'])).not.toEqual(first)
})
