import type { ExponentialHistogramValue, HistogramValue } from './metric-point.ts'

/** Distributions of numbers, added up, whatever buckets each of them came in. */
export class MergedHistogram {
  count = 0
  sum = 0
  /** By their bounds, written as a text. */
  private readonly buckets = new Map<string, { lower: number; upper: number; count: number }>()

  /** `times` is -1 for what is to be taken away. */
  add(value: HistogramValue | ExponentialHistogramValue, times = 1): void {
    this.count += times * value.count
    this.sum += times * (value.sum ?? 0)
    if ('explicitBounds' in value) this.addExplicit(value, times)
    else this.addExponential(value, times)
  }

  /** Within its bucket a value is as far as its rank; undefined where nothing was recorded. */
  percentile(percent: number): number | undefined {
    const sorted = [...this.buckets.values()].filter(({ count }) => count > 0).sort((a, b) => a.upper - b.upper)
    const total = sorted.reduce((sum, { count }) => sum + count, 0)
    const rank = (total * percent) / 100
    let below = 0
    for (const { lower, upper, count } of sorted) {
      if (below + count >= rank) return lower + (upper - lower) * Math.max(0, (rank - below) / count)
      below += count
    }
    return undefined
  }

  /** The last bucket has no upper end, and the first none below: the extremes that are known stand for them. */
  private addExplicit({ explicitBounds, bucketCounts, min, max }: HistogramValue, times: number): void {
    for (const [i, count] of bucketCounts.entries()) {
      const [first, last] = [explicitBounds[0] ?? min ?? 0, explicitBounds.at(-1) ?? max ?? 0]
      const lower = explicitBounds[i - 1] ?? Math.min(0, first)
      const upper = explicitBounds[i] ?? Math.max(last, lower)
      this.addBucket(lower, upper, times * count)
    }
  }

  private addExponential(
    { scale, zeroCount, zeroThreshold, positive, negative }: ExponentialHistogramValue,
    times: number,
  ): void {
    const boundOf = (index: number) => 2 ** (index * 2 ** -scale)
    this.addBucket(-zeroThreshold, zeroThreshold, times * zeroCount)
    for (const [i, count] of positive.counts.entries())
      this.addBucket(boundOf(positive.offset + i), boundOf(positive.offset + i + 1), times * count)
    for (const [i, count] of negative.counts.entries())
      this.addBucket(-boundOf(negative.offset + i + 1), -boundOf(negative.offset + i), times * count)
  }

  private addBucket(lower: number, upper: number, count: number): void {
    if (count === 0 || !Number.isFinite(lower) || !Number.isFinite(upper)) return
    const key = `${lower} ${upper}`
    const bucket = this.buckets.get(key) ?? { lower, upper, count: 0 }
    this.buckets.set(key, bucket)
    bucket.count += count
  }
}
