import { describe, expect, it } from 'vitest'
import { addedDistributions } from './added-distributions.ts'
import type { ExponentialHistogramValue, HistogramValue } from './metric-point.ts'

const histogram: HistogramValue = {
  ...{ count: 3, sum: 30, min: 1, max: 25 },
  ...{ explicitBounds: [10, 20], bucketCounts: [1, 0, 2] },
}
const exponential: ExponentialHistogramValue = {
  ...{ count: 4, sum: null, min: null, max: null, scale: 2, zeroCount: 1, zeroThreshold: 0 },
  ...{ positive: { offset: 5, counts: [1, 2] }, negative: { offset: 0, counts: [] } },
}

describe('two distributions', () => {
  it('are one where their bounds are the same', () => {
    const other = { ...histogram, count: 1, sum: null, bucketCounts: [0, 1, 0] }
    expect(addedDistributions(histogram, other)).toEqual({
      ...{ count: 4, sum: 30, min: null, max: null },
      ...{ explicitBounds: [10, 20], bucketCounts: [1, 1, 2] },
    })
  })

  it('are kept apart where their bounds differ, or nothing but the extremes tells where they lie', () => {
    expect(addedDistributions(histogram, { ...histogram, explicitBounds: [10, 30] })).toBeUndefined()
    const bare = { ...histogram, explicitBounds: [], bucketCounts: [3] }
    expect(addedDistributions(bare, { ...bare, max: 99 })).toBeUndefined()
    expect(addedDistributions(bare, bare)).toMatchObject({ min: 1, max: 25, bucketCounts: [6] })
  })

  it('are one where their scales are the same, wherever their buckets begin', () => {
    const other = { ...exponential, positive: { offset: 3, counts: [7] }, negative: { offset: 9, counts: [2] } }
    expect(addedDistributions(exponential, other)).toMatchObject({
      ...{ count: 8, sum: null, zeroCount: 2 },
      ...{ positive: { offset: 3, counts: [7, 0, 1, 2] }, negative: { offset: 9, counts: [2] } },
    })
    expect(addedDistributions(exponential, { ...exponential, scale: 3 })).toBeUndefined()
  })

  it('are kept apart where their buckets are far from each other, or they are of different types', () => {
    const far = { ...exponential, positive: { offset: 1_000_000, counts: [1] } }
    expect(addedDistributions(exponential, far)).toBeUndefined()
    expect(addedDistributions(exponential, histogram)).toBeUndefined()
    const summary = { count: 2, sum: 5, quantiles: [{ quantile: 0.5, value: 2 }] }
    expect(addedDistributions(summary, histogram)).toBeUndefined()
    expect(addedDistributions(summary, summary)).toEqual({ count: 4, sum: 10, quantiles: [] })
  })
})
