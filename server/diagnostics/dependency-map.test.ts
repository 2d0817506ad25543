import { describe, expect, it } from 'vitest'
import type { SpanKind } from '../domain/span.ts'
import { dependencyMap, type MapFacts } from './dependency-map.ts'
import { edgeOf, groupOf, rising } from './testing/request-group.ts'

const map = (facts: Partial<MapFacts>) => dependencyMap({ serviceSpans: [], requests: [], edges: [], ...facts })
const spans = (serviceName: string, kind: SpanKind = 'SERVER', spanCount = 10) => ({ serviceName, kind, spanCount })
const requests = (serviceName: string, count: number, kind: SpanKind = 'SERVER', errorCount = 0) =>
  groupOf(rising(count), { serviceName, kind, errorCount })

describe('the services of a dependency map', () => {
  it('are none without data', () => {
    expect(map({})).toEqual({ services: [], edges: [] })
  })

  it('have their requests of all kinds together, most used first, then by name', () => {
    const { services } = map({
      serviceSpans: [spans('cart'), spans('shop'), spans('shop', 'CONSUMER'), spans('auth')],
      requests: [
        requests('cart', 5),
        requests('shop', 8, 'SERVER', 1),
        requests('shop', 4, 'CONSUMER', 1),
        requests('auth', 5),
      ],
    })
    expect(services).toEqual([
      { name: 'shop', type: 'SERVER', requestCount: 12, errorRate: 16.67 },
      { name: 'auth', type: 'SERVER', requestCount: 5, errorRate: 0 },
      { name: 'cart', type: 'SERVER', requestCount: 5, errorRate: 0 },
    ])
  })

  it('are those that sent spans, with or without requests', () => {
    const { services } = map({
      serviceSpans: [spans('batch', 'CLIENT')],
      edges: [edgeOf({ targetName: 'postgresql' })],
    })
    expect(services).toEqual([{ name: 'batch', type: 'CLIENT', requestCount: 0, errorRate: 0 }])
  })

  it.each<[string, [SpanKind, number][]]>([
    [
      'SERVER',
      [
        ['SERVER', 5],
        ['CONSUMER', 5],
      ],
    ],
    [
      'CONSUMER',
      [
        ['SERVER', 5],
        ['CONSUMER', 6],
      ],
    ],
    [
      'CLIENT',
      [
        ['CLIENT', 5],
        ['INTERNAL', 5],
      ],
    ],
    [
      'INTERNAL',
      [
        ['CLIENT', 5],
        ['INTERNAL', 6],
      ],
    ],
    [
      'CLIENT',
      [
        ['PRODUCER', 4],
        ['CLIENT', 3],
        ['INTERNAL', 6],
      ],
    ],
  ])('are called %s by what most of their requests are: %j', (type, kinds) => {
    const counted = kinds.map(([kind, count]) => requests('shop', count, kind))
    expect(map({ serviceSpans: [spans('shop', 'CLIENT', 99)], requests: counted }).services[0]?.type).toBe(type)
  })

  it('are called by what most of their spans are, where they have no requests', () => {
    const serviceSpans = [spans('shop', 'CLIENT', 3), spans('shop', 'INTERNAL', 5)]
    expect(map({ serviceSpans }).services[0]?.type).toBe('INTERNAL')
  })
})

describe('the edges of a dependency map', () => {
  it('have calls and messages to the same target together, as the caller saw them', () => {
    const { edges } = map({
      edges: [
        edgeOf({ requestCount: 6, errorCount: 1, durationNsSum: 60_000_000n }),
        edgeOf({ requestCount: 3, errorCount: 1, durationNsSum: 3_000_000n, kind: 'PRODUCER' }),
      ],
    })
    expect(edges).toEqual([{ source: 'shop', target: 'cart', requestCount: 9, errorRate: 22.22, avgLatencyMs: 7 }])
  })

  it('come most used first, then by name', () => {
    const { edges } = map({
      edges: [
        edgeOf({ targetName: 'b' }),
        edgeOf({ targetName: 'c', requestCount: 11 }),
        edgeOf({ targetName: 'a' }),
        edgeOf({ sourceName: 'gate', targetName: 'z' }),
      ],
    })
    expect(edges.map(({ source, target }) => `${source} ${target}`)).toEqual(['shop c', 'gate z', 'shop a', 'shop b'])
  })
})
