import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CALL_TARGET_KEYS, callTarget } from '../../domain/call-target.ts'
import { SpanColumns } from '../../domain/columns/span-columns.ts'
import { encode } from './conformance/otlp-messages.ts'
import type { Span } from './conformance/shapes.ts'
import { attribute, LIMITS, span, traces } from './conformance/small-requests.ts'
import { decodeTraces } from './decode-traces.ts'

const [SERVER, CLIENT, PRODUCER, CONSUMER] = [2, 3, 4, 5] as const
const columns = new SpanColumns()

function decode(...spans: Span[]): void {
  decodeTraces(encode('ExportTraceServiceRequest', traces(...spans.map((over) => span(over)))), LIMITS, columns)
}

function call(attributes: Record<string, string>, kind: number = CLIENT): Span {
  return { kind, attributes: Object.entries(attributes).map(([key, value]) => attribute(key, value)) }
}

/** Whom each span calls, by its name and as a dependency. */
function targets(): { named: string; dependency: string }[] {
  return Array.from({ length: columns.length }, (_, row) => ({
    named: columns.calledNames.textOf(row),
    dependency: columns.dependencies.textOf(row),
  }))
}

function receives(attributes: Record<string, string>, kind: number = CONSUMER): boolean {
  decode(call(attributes, kind))
  return columns.receives[0] === 1
}

describe('whom a span calls', () => {
  test('is what its attributes name, for clients and producers only', () => {
    const attributes = { 'db.system': 'redis', 'db.name': 'carts', 'server.address': 'cache-1' }
    const target = { named: 'cache-1', dependency: 'redis/carts' }
    const nobody = { named: '', dependency: '' }
    decode(call(attributes), call(attributes, PRODUCER), call(attributes, SERVER), call(attributes, CONSUMER), call({}))
    expect(targets()).toEqual([target, target, nobody, nobody, nobody])
  })

  test('is told by every key that takes part', () => {
    const calls = CALL_TARGET_KEYS.map((key) => ({ [key]: key.includes('url') ? 'http://host:80/path' : 'value' }))
    for (let i = 0; i < 2; i++) {
      decode(...calls.map((attributes) => call(attributes)))
      expect(targets()).toEqual(calls.map((attributes) => callTarget(attributes)))
    }
  })

  test('is the same for the same texts, and another for texts that only look the same in a row', () => {
    const calls: Record<string, string>[] = [
      { 'db.system': 'ab', 'db.name': 'c' },
      { 'db.system': 'a', 'db.name': 'bc' },
      { 'db.system': 'abc' },
      { 'db.name': 'abc' },
      { 'db.system': 'abc', 'db.name': '' },
      { 'peer.service': 'abc' },
      { 'server.address': 'abc' },
      { 'peer.service': '', 'server.address': 'abc' },
      { 'peer.service': 'abc', 'server.address': '' },
      { 'rpc.service': 'abc\u0001' },
      { 'rpc.service': 'abc' },
    ]
    for (let i = 0; i < 3; i++) {
      decode(...calls.map((attributes) => call(attributes)))
      expect(targets()).toEqual(calls.map((attributes) => callTarget(attributes)))
      calls.reverse()
    }
  })

  test('is right whatever the texts are, again and again', () => {
    const value = fc.oneof(
      fc.constantFrom('', 'shop', 'kafka', 'db-1', 'http://shop/cart', 'https://shop:80?q#f', 'a\\b', 'é"\n', '\0'),
      fc.string({ maxLength: 8 }),
      fc.constantFrom(60, 200, 300).map((length) => 'x'.repeat(length)),
    )
    const attributes = fc.dictionary(fc.constantFrom(...CALL_TARGET_KEYS), value, { maxKeys: 4 })
    const property = fc.property(fc.array(attributes, { maxLength: 30 }), (calls) => {
      for (let i = 0; i < 2; i++) {
        decode(...calls.map((attributes) => call(attributes)))
        const plain = (text: string) => text.replaceAll('\0', '\ufffd')
        const expected = calls
          .map((attributes) => callTarget(attributes))
          .map(({ named, dependency }) => ({ named: plain(named), dependency: plain(dependency) }))
        expect(targets()).toEqual(expected)
      }
    })
    fc.assert(property, { seed: 20_240_614, numRuns: 60 })
  })

  test('is right where there are more than can be remembered', () => {
    const hosts = Array.from({ length: 6000 }, (_, i) => ({
      'server.address': `host-${i}`,
      'db.system': `db-${i % 7}`,
    }))
    for (let i = 0; i < 2; i++) {
      decode(...hosts.map((attributes) => call(attributes)))
      expect(targets()).toEqual(hosts.map((attributes) => callTarget(attributes)))
    }
  })

  test('is told by texts, not by numbers or maps', () => {
    const attributes = [
      { key: 'server.address', value: { intValue: '5' } },
      { key: 'peer.service', value: { kvlistValue: { values: [attribute('peer.service', 'inner')] } } },
    ]
    decode({ kind: CLIENT, attributes })
    expect(targets()).toEqual([{ named: '', dependency: '' }])
  })
})

describe('a consumer', () => {
  test.each([
    [{ 'messaging.operation.type': 'receive' }, true],
    [{ 'messaging.operation': 'receive' }, true],
    [{ 'messaging.operation.type': '', 'messaging.operation': 'receive' }, true],
    [{ 'messaging.operation.type': 'process', 'messaging.operation': 'receive' }, false],
    [{ 'messaging.operation.type': 'receive', 'messaging.operation': 'process' }, true],
    [{ 'messaging.operation.type': 'received' }, false],
    [{ 'messaging.operation.type': 'receiv' }, false],
    [{ 'messaging.operation.type': 'rec"ive' }, false],
    [{ 'messaging.system': 'receive' }, false],
    [{}, false],
  ])('with %j merely receives: %s', (attributes, expected) => {
    expect(receives(attributes as Record<string, string>)).toBe(expected)
  })

  test('is the only one of which that is said', () => {
    expect(receives({ 'messaging.operation.type': 'receive' }, PRODUCER)).toBe(false)
    expect(receives({ 'messaging.operation.type': 'receive' }, SERVER)).toBe(false)
  })
})
