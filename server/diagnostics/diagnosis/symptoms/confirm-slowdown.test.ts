import { describe, expect, it } from 'vitest'
import type { Latencies } from '../../../domain/latencies.ts'
import { isSlower } from './confirm-slowdown.ts'

const TRIED = 10_000

function latencies(count: number, msOf: (i: number) => number): Latencies {
  const exactNs = Array.from({ length: count }, (_, i) => msOf(i) * 1e6).toSorted((a, b) => a - b)
  return { exactNs, buckets: [], counts: [] }
}

const calm = latencies(600, (i) => 20 + (i % 20))

describe('a slowdown', () => {
  it('is confirmed where all requests are slower', () => {
    expect(isSlower({ calm, during: latencies(40, (i) => 40 + (i % 20)) }, TRIED)).toBe(true)
  })

  it('is confirmed where more are slow, though most are as fast as ever', () => {
    expect(isSlower({ calm, during: latencies(100, (i) => (i % 8 === 0 ? 900 : 20 + (i % 20))) }, TRIED)).toBe(true)
  })

  it('is not confirmed by a few requests that move the mean', () => {
    expect(isSlower({ calm, during: latencies(40, (i) => (i < 2 ? 9000 : 20 + (i % 20))) }, TRIED)).toBe(false)
  })

  it('is not confirmed by too few requests', () => {
    expect(isSlower({ calm, during: latencies(4, () => 900) }, TRIED)).toBe(false)
  })
})
