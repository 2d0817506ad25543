import { describe, expect, it } from 'vitest'
import { MergedHistogram } from './merged-histogram.ts'

const explicit = (bounds: number[], counts: number[], sum = 0) => ({
  count: counts.reduce((a, b) => a + b, 0),
  sum,
  min: null,
  max: null,
  explicitBounds: bounds,
  bucketCounts: counts,
})

describe('merged histograms', () => {
  it('place a percentile within its bucket by its rank', () => {
    const merged = new MergedHistogram()
    merged.add(explicit([10, 20, 40], [0, 50, 50, 0], 2000))
    expect(merged.percentile(50)).toBe(20)
    expect(merged.percentile(75)).toBe(30)
    expect(merged.percentile(100)).toBe(40)
    expect([merged.count, merged.sum]).toEqual([100, 2000])
  })

  it('know nothing beyond the last bound, and nothing of nothing', () => {
    const merged = new MergedHistogram()
    expect(merged.percentile(95)).toBeUndefined()
    merged.add(explicit([10], [0, 7]))
    expect(merged.percentile(95)).toBe(10)
  })

  it('add up, and take away again', () => {
    const merged = new MergedHistogram()
    merged.add(explicit([10, 20], [10, 10, 0]))
    merged.add(explicit([10, 20], [10, 0, 0]), -1)
    expect(merged.percentile(50)).toBe(15)
    expect(merged.count).toBe(10)
  })

  it('take exponential ones, below and above zero', () => {
    const merged = new MergedHistogram()
    merged.add({
      ...{ count: 12, sum: 0, min: null, max: null, scale: 0, zeroCount: 4, zeroThreshold: 0 },
      positive: { offset: 1, counts: [4] },
      negative: { offset: 0, counts: [4] },
    })
    expect(merged.percentile(100)).toBe(4)
    expect(merged.percentile(50)).toBe(0)
    expect(merged.percentile(1)).toBeLessThan(-1)
  })
})
