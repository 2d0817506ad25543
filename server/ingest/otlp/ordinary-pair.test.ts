import { describe, expect, test } from 'vitest'
import { SpanColumns } from '../../domain/columns/span-columns.ts'
import { concat, encode } from './conformance/otlp-messages.ts'
import { spanRows } from './conformance/rows.ts'
import type { AnyValue } from './conformance/shapes.ts'
import { LIMITS, span } from './conformance/small-requests.ts'
import { decodeTraces } from './decode-traces.ts'
import { OrdinaryPair } from './ordinary-pair.ts'
import { WireReader } from './wire-reader.ts'

const columns = new SpanColumns()

/** A field whose length takes `lengthBytes`, however small it is. */
function field(number: number, content: Uint8Array, lengthBytes = 0): Uint8Array {
  const length: number[] = []
  for (let rest = content.length; rest > 0 || length.length < Math.max(1, lengthBytes); rest >>>= 7) {
    length.push((rest & 0x7f) | 0x80)
  }
  length.push((length.pop() as number) & 0x7f)
  return concat(Uint8Array.of((number << 3) | 2, ...length), content)
}

function isOrdinary(pair: Uint8Array): boolean {
  // Without the tag, as those who come upon an attribute read it.
  const reader = new WireReader(pair, 'test')
  reader.tag()
  return new OrdinaryPair().read(reader)
}

function attributesOf(pair: Uint8Array): string | undefined {
  decodeTraces(field(1, field(2, field(2, concat(encode('Span', span()), pair)))), LIMITS, columns)
  return spanRows(columns)[0]?.attributes
}

function pairOf(key: string, value: Uint8Array, lengthBytes = 0): Uint8Array {
  return field(9, concat(field(1, Buffer.from(key), lengthBytes), field(2, value, lengthBytes)), lengthBytes)
}

const LENGTHS = [
  0, 1, 2, 3, 4, 5, 60, 100, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 300, 16_383,
]

describe('what is ordinary reads as it does in any other encoding', () => {
  test.each(['k', 'http.route', 'k'.repeat(64), 'k'.repeat(127)])('texts of any length, with the key %s', (key) => {
    for (const length of LENGTHS) {
      const content = 'é'.repeat(length >>> 1).padEnd(length - (length >>> 1), 'x')
      const value = encode('AnyValue', { stringValue: content })
      const expected = JSON.stringify({ [key]: content })
      expect(isOrdinary(pairOf(key, value))).toBe(Buffer.byteLength(content) < 16_370 - key.length)
      expect(attributesOf(pairOf(key, value))).toBe(expected)
      expect(isOrdinary(pairOf(key, value, 3))).toBe(false)
      expect(attributesOf(pairOf(key, value, 3))).toBe(expected)
    }
  })

  test.each([
    ['0', true],
    ['127', true],
    ['128', true],
    ['16384', true],
    ['2097151', true],
    ['2097152', true],
    ['268435455', true],
    ['268435456', false],
    ['2147483648', false],
    ['4294967296', false],
    ['9007199254740991', false],
    ['-1', false],
  ])('the number %s', (intValue, ordinary) => {
    const value = encode('AnyValue', { intValue })
    expect(isOrdinary(pairOf('key', value))).toBe(ordinary)
    for (const lengthBytes of [0, 2, 5])
      expect(attributesOf(pairOf('key', value, lengthBytes))).toBe(`{"key":${intValue}}`)
  })

  test.each([true, false])('the truth value %s', (boolValue) => {
    const value = encode('AnyValue', { boolValue })
    expect(isOrdinary(pairOf('key', value))).toBe(true)
    for (const lengthBytes of [0, 2])
      expect(attributesOf(pairOf('key', value, lengthBytes))).toBe(`{"key":${boolValue}}`)
  })
})

test.each<[string, AnyValue]>([
  ['a double', { doubleValue: 0.5 }],
  ['bytes', { bytesValue: Uint8Array.of(1, 2, 3) }],
  ['a list', { arrayValue: { values: [{ intValue: '1' }] } }],
  ['a map', { kvlistValue: { values: [{ key: 'k', value: { intValue: '1' } }] } }],
  ['nothing', {}],
])('%s is not ordinary', (_, value) => {
  expect(isOrdinary(pairOf('key', encode('AnyValue', value)))).toBe(false)
})

test('a pair with anything more, less or in another order is not ordinary', () => {
  const key = field(1, Buffer.from('key'))
  const value = field(2, field(1, Buffer.from('text')))
  const unknown = field(3, Buffer.from('future'))
  expect(isOrdinary(field(9, concat(key, value)))).toBe(true)
  const others = [[value, key], [key], [value], [key, value, unknown], [key, value, value], [key, key, value], []]
  for (const parts of others) expect(isOrdinary(field(9, concat(...parts)))).toBe(false)
  const twoValues = field(2, concat(field(1, Buffer.from('a')), field(1, Buffer.from('b'))))
  expect(isOrdinary(field(9, concat(key, twoValues)))).toBe(false)
})

test('a pair that is cut off anywhere, or says so of a part, is left to others', () => {
  for (const value of [encode('AnyValue', { stringValue: 'x'.repeat(130) }), encode('AnyValue', { intValue: '300' })]) {
    const pair = pairOf('some.key', value)
    for (let length = 1; length < pair.length; length++) expect(isOrdinary(pair.slice(0, length))).toBe(false)
    const lengthBytes = pair.length > 130 ? 2 : 1
    const inside = 1 + lengthBytes
    for (let shorter = inside; shorter < pair.length; shorter++) {
      expect(isOrdinary(field(9, pair.slice(inside, shorter)))).toBe(false)
    }
  }
})
