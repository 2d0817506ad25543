import type { ExponentialBuckets, ExponentialHistogramValue, HistogramValue, SummaryValue } from './metric-point.ts'

export type Distribution = HistogramValue | ExponentialHistogramValue | SummaryValue

/** Beyond so many buckets from the first to the last, two distributions are kept apart. */
const BUCKETS_MAX = 1_024

/**
 * One distribution of all that two of them recorded, bucket by bucket; undefined where their buckets are not the same. The
 * extremes and quantiles of both together are not known.
 */
export function addedDistributions(a: Distribution, b: Distribution): Distribution | undefined {
  if ('quantiles' in a)
    return 'quantiles' in b ? { count: a.count + b.count, sum: a.sum + b.sum, quantiles: [] } : undefined
  if ('quantiles' in b) return undefined
  const sums = { count: a.count + b.count, sum: a.sum === null && b.sum === null ? null : (a.sum ?? 0) + (b.sum ?? 0) }
  if ('explicitBounds' in a)
    return 'explicitBounds' in b && haveSameBounds(a, b) ? { ...sums, ...addedExplicit(a, b) } : undefined
  return 'explicitBounds' in b ? undefined : addedExponential(a, b, sums)
}

/** Without bounds, all there is to a bucket are the extremes. */
function haveSameBounds(a: HistogramValue, b: HistogramValue): boolean {
  if (a.explicitBounds.length === 0 && (a.min !== b.min || a.max !== b.max)) return false
  return (
    a.explicitBounds.length === b.explicitBounds.length && a.explicitBounds.every((at, i) => at === b.explicitBounds[i])
  )
}

function addedExplicit(a: HistogramValue, b: HistogramValue): Omit<HistogramValue, 'count' | 'sum'> {
  const { explicitBounds } = a
  const [min, max] = explicitBounds.length === 0 ? [a.min, a.max] : [null, null]
  const length = Math.max(a.bucketCounts.length, b.bucketCounts.length)
  const bucketCounts = Array.from({ length }, (_, i) => (a.bucketCounts[i] ?? 0) + (b.bucketCounts[i] ?? 0))
  return { min, max, explicitBounds, bucketCounts }
}

function addedExponential(
  a: ExponentialHistogramValue,
  b: ExponentialHistogramValue,
  sums: { count: number; sum: number | null },
): ExponentialHistogramValue | undefined {
  const { scale, zeroThreshold } = a
  if (scale !== b.scale || zeroThreshold !== b.zeroThreshold) return undefined
  const positive = addedBuckets(a.positive, b.positive)
  const negative = addedBuckets(a.negative, b.negative)
  if (!positive || !negative) return undefined
  return {
    ...sums,
    min: null,
    max: null,
    scale,
    zeroCount: a.zeroCount + b.zeroCount,
    zeroThreshold,
    positive,
    negative,
  }
}

function addedBuckets(a: ExponentialBuckets, b: ExponentialBuckets): ExponentialBuckets | undefined {
  if (a.counts.length === 0) return b
  if (b.counts.length === 0) return a
  const offset = Math.min(a.offset, b.offset)
  const length = Math.max(a.offset + a.counts.length, b.offset + b.counts.length) - offset
  if (length > BUCKETS_MAX) return undefined
  const counts = Array.from({ length }, (_, i) => {
    const index = offset + i
    return (a.counts[index - a.offset] ?? 0) + (b.counts[index - b.offset] ?? 0)
  })
  return { offset, counts }
}
