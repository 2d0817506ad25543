import { describe, expect, it } from 'vitest'
import {
  BUCKET_FACTOR,
  bucketOf,
  bucketValueNs,
  countOf,
  countsOf,
  EXACT_REQUESTS_MAX,
  type Latencies,
  mergedLatencies,
  NO_LATENCIES,
  percentileMs,
} from './latencies.ts'

const exactly = (...exactNs: number[]): Latencies => ({ exactNs, buckets: [], counts: [] })
const counted = (...pairs: [bucket: number, count: number][]): Latencies => ({
  exactNs: undefined,
  buckets: pairs.map(([bucket]) => bucket),
  counts: pairs.map(([, count]) => count),
})
const ascendingTo = (count: number): number[] => Array.from({ length: count }, (_, index) => (index + 1) * 1_000_000)

/** From a nanosecond to a century, in steps that meet every bucket. */
const DURATIONS_NS = Array.from({ length: 4200 }, (_, step) => Math.round(1.0102 ** step)).filter((ns) => ns < 3.2e18)

describe('buckets', () => {
  it('stand for what is in them within 1 %', () => {
    for (const ns of DURATIONS_NS) {
      expect(Math.abs(bucketValueNs(bucketOf(ns)) - ns), String(ns)).toBeLessThanOrEqual(ns / 100)
    }
  })

  it('hold what lies between their ends', () => {
    for (const ns of DURATIONS_NS) {
      const bucket = bucketOf(ns)
      // The last digits of a power are not exact.
      expect(BUCKET_FACTOR ** bucket).toBeLessThanOrEqual(ns * (1 + 1e-12))
      expect(BUCKET_FACTOR ** (bucket + 1)).toBeGreaterThan(ns * (1 - 1e-12))
    }
  })

  it('count no time, and less than none, as a nanosecond', () => {
    expect([0, 1, -5].map(bucketOf)).toEqual([0, 0, 0])
    expect(bucketOf(2)).toBeGreaterThan(0)
  })
})

describe('percentileMs', () => {
  it('is 0 where nobody asked anything', () => {
    expect(percentileMs(NO_LATENCIES, 95)).toBe(0)
    expect(percentileMs(counted(), 95)).toBe(0)
  })

  it.each([
    [1, 1],
    [25, 1],
    [25.1, 2],
    [50, 2],
    [75.1, 4],
    [99, 4],
    [100, 4],
  ])('takes the nearest rank: p%d of 1, 2, 3, 4 is %d', (percent, expected) => {
    expect(percentileMs(exactly(...ascendingTo(4)), percent)).toBe(expected)
  })

  it('is the only one where there is one', () => {
    for (const percent of [0.1, 50, 100]) expect(percentileMs(exactly(7_500_000), percent)).toBe(7.5)
  })

  it('takes the same rank in buckets', () => {
    const latencies = counted([10, 1], [20, 2], [30, 1])
    const places = [25, 25.1, 50, 75, 75.1, 100].map((percent) => percentileMs(latencies, percent) * 1e6)
    expect(places.map(Math.round)).toEqual([10, 20, 20, 20, 30, 30].map(bucketValueNs).map(Math.round))
  })
})

describe('mergedLatencies', () => {
  it('is nothing where there is nothing', () => {
    expect(mergedLatencies([])).toEqual(NO_LATENCIES)
    expect(mergedLatencies([NO_LATENCIES, NO_LATENCIES])).toEqual(NO_LATENCIES)
  })

  it('stays one by one, ascending, up to 999', () => {
    const odd = exactly(...ascendingTo(499).map((ns) => 2 * ns - 1))
    const even = exactly(...ascendingTo(500).map((ns) => 2 * ns))
    const { exactNs = [] } = mergedLatencies([even, odd])
    expect(exactNs).toHaveLength(EXACT_REQUESTS_MAX)
    expect(exactNs).toEqual(exactNs.toSorted((a, b) => a - b))
  })

  it('goes over to ascending buckets with one more', () => {
    const merged = mergedLatencies([exactly(...ascendingTo(500)), exactly(...ascendingTo(500))])
    expect(merged.exactNs).toBeUndefined()
    expect(countOf(merged)).toBe(1000)
    expect(merged.buckets).toEqual([...new Set(ascendingTo(500).map(bucketOf))])
    for (const percent of [1, 50, 95, 99, 100]) {
      expect(Math.abs(percentileMs(merged, percent) / (5 * percent) - 1)).toBeLessThanOrEqual(0.01)
    }
  })

  it('adds up buckets, and what is told one by one beside them', () => {
    const ns = Math.round(bucketValueNs(500))
    expect(mergedLatencies([counted([500, 2], [700, 1]), exactly(ns, ns), counted([600, 3])])).toEqual(
      counted([500, 4], [600, 3], [700, 1]),
    )
  })

  it('changes nothing that it is given', () => {
    const parts = [exactly(1, 5), exactly(3)]
    mergedLatencies(parts)
    expect(parts).toEqual([exactly(1, 5), exactly(3)])
  })
})

describe('countsOf', () => {
  it('is the same for durations told one by one and in buckets, but for how they are added up', () => {
    expect(countsOf(exactly(0, 1, 2))).toEqual([
      [0, 1],
      [0, 1],
      [bucketOf(2), 1],
    ])
    expect(countsOf(counted([0, 2], [35, 1]))).toEqual([
      [0, 2],
      [35, 1],
    ])
  })
})
