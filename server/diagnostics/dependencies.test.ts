import { describe, expect, it } from 'vitest'
import type { Edge } from '../storage/diagnostics-reader.ts'
import { dependenciesOf } from './dependencies.ts'
import { edgeOf } from './testing/request-group.ts'

const THRESHOLDS = { defaultMs: 500, byService: { cart: 50 } }
const dependencies = (...edges: Partial<Edge>[]) => dependenciesOf(edges.map(edgeOf), THRESHOLDS)
const statusOf = (edge: Partial<Edge>) => dependencies({ targetName: 'postgresql', ...edge })[0]?.status
/** 100 calls that took so long on average. */
const taking = (ms: number): Partial<Edge> => ({ requestCount: 100, durationNsSum: BigInt(ms * 100) * 1_000_000n })

describe('dependenciesOf', () => {
  it('shows every figure, as the caller saw it, most used first', () => {
    expect(
      dependencies(
        { targetName: 'redis', requestCount: 3, durationNsSum: 10_000_000n },
        { targetName: 'kafka/orders', requestCount: 4, errorCount: 1, durationNsSum: 8_000_000n },
        { targetName: 'kafka/orders', kind: 'PRODUCER', requestCount: 4, durationNsSum: 8_000_000n },
        { targetName: 'a', requestCount: 3, durationNsSum: 0n },
      ),
    ).toEqual([
      { name: 'kafka/orders', status: 'degraded', errorRate: 12.5, avgLatencyMs: 2 },
      { name: 'a', status: 'healthy', errorRate: 0, avgLatencyMs: 0 },
      { name: 'redis', status: 'healthy', errorRate: 0, avgLatencyMs: 3.33 },
    ])
  })

  it.each([
    [499, 'healthy'],
    [500, 'degraded'],
    [2499, 'degraded'],
    [2500, 'unhealthy'],
  ])('judges %i failures in 10,000 as %s', (errorCount, status) => {
    expect(statusOf({ requestCount: 10_000, errorCount })).toBe(status)
  })

  it.each([
    [500, 'healthy'],
    [501, 'degraded'],
    [2000, 'degraded'],
    [2001, 'unhealthy'],
  ])('judges an average of %i ms as %s', (ms, status) => expect(statusOf(taking(ms))).toBe(status))

  it('judges a service by its own threshold', () => {
    expect(dependencies({ targetName: 'cart', ...taking(51) })[0]?.status).toBe('degraded')
  })

  it('says at worst degraded with under 5 calls', () => {
    expect(statusOf({ requestCount: 4, errorCount: 4 })).toBe('degraded')
    expect(statusOf({ requestCount: 5, errorCount: 5 })).toBe('unhealthy')
  })
})
