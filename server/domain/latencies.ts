/**
 * Neighbouring buckets differ by this factor. A bucket stands for the value in its middle, which is within 1 % of everything
 * in it.
 */
export const BUCKET_FACTOR = 1.02
/** Requests up to this many have their durations told one by one, while the spans are kept. */
export const EXACT_REQUESTS_MAX = 999

/**
 * How long a number of requests took. Either every duration is in `exactNs`, ascending, or they are counted in buckets: the
 * bucket `b` holds durations in `[1.02^b, 1.02^(b+1))` nanoseconds, and a duration of 0 counts as 1. Buckets ascend.
 */
export interface Latencies {
  exactNs: number[] | undefined
  buckets: number[]
  counts: number[]
}

export const NO_LATENCIES: Latencies = { exactNs: [], buckets: [], counts: [] }

const LN_BUCKET_FACTOR = Math.log(BUCKET_FACTOR)
/** What 64 bits hold is in one of these. */
const BUCKETS = bucketOf(2 ** 64) + 1

export function bucketOf(durationNs: number): number {
  return Math.floor(Math.log(Math.max(1, durationNs)) / LN_BUCKET_FACTOR)
}

/** What a bucket stands for: the same relative distance from both of its ends. */
export function bucketValueNs(bucket: number): number {
  return (2 * BUCKET_FACTOR ** (bucket + 1)) / (BUCKET_FACTOR + 1)
}

export function countOf({ exactNs, counts }: Latencies): number {
  if (exactNs) return exactNs.length
  let sum = 0
  for (const count of counts) sum += count
  return sum
}

/** By nearest rank, in milliseconds; 0 where there is nothing. `percent` is above 0 and at most 100. */
export function percentileMs(latencies: Latencies, percent: number): number {
  return percentilesMs(latencies, [percent])[0] as number
}

/** The same of several, which ascend. */
export function percentilesMs(latencies: Latencies, percents: number[]): number[] {
  const { exactNs, buckets, counts } = latencies
  const total = countOf(latencies)
  let [seen, next] = [0, 0]
  return percents.map((percent) => {
    const rank = Math.ceil((total * percent) / 100)
    if (rank === 0) return 0
    if (exactNs) return (exactNs[rank - 1] as number) / 1e6
    while (seen < rank && next < counts.length) seen += counts[next++] as number
    return seen >= rank ? bucketValueNs(buckets[next - 1] as number) / 1e6 : 0
  })
}

/** All of them together: one by one where every part is, and they are few enough; else in buckets. */
export function mergedLatencies(parts: Latencies[]): Latencies {
  const exact = parts.map(({ exactNs }) => exactNs)
  const total = parts.reduce((sum, part) => sum + countOf(part), 0)
  if (total <= EXACT_REQUESTS_MAX && exact.every((values) => values !== undefined))
    return { exactNs: exact.flat().sort((a, b) => a - b), buckets: [], counts: [] }
  return bucketedLatencies(parts)
}

export function bucketedLatencies(parts: Latencies[]): Latencies {
  const sums = new Float64Array(BUCKETS)
  const add = (bucket: number, count: number) => {
    sums[bucket] = (sums[bucket] as number) + count
  }
  for (const { exactNs, buckets, counts } of parts) {
    for (const ns of exactNs ?? []) add(bucketOf(ns), 1)
    for (let i = 0; i < buckets.length; i++) add(buckets[i] as number, counts[i] as number)
  }
  const merged: Latencies = { exactNs: undefined, buckets: [], counts: [] }
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    if (sums[bucket] === 0) continue
    merged.buckets.push(bucket)
    merged.counts.push(sums[bucket] as number)
  }
  return merged
}

/** In buckets, whichever way they are told. */
export function countsOf({ exactNs, buckets, counts }: Latencies): [bucket: number, count: number][] {
  if (exactNs) return exactNs.map((ns) => [bucketOf(ns), 1])
  return buckets.map((bucket, i) => [bucket, counts[i] as number])
}
