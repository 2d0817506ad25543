import { bucketOf, countOf, countsOf, type Latencies, percentileMs } from '../../../domain/latencies.ts'
import { latencyChange } from '../../significance.ts'
import { fisherExactP } from '../../statistics/fisher-exact.ts'
import { P_VALUE_BELOW } from './judgement.ts'

const FACTOR_MIN = 1.2
const REQUESTS_MIN = 5
const SLOW_MIN = 5

/**
 * Whether requests were slower as a whole, or more of them slow, than in calm: a mean that grew through a few of them is not
 * enough. The stretch was chosen for its mean, so the correction is for everything that was tried.
 */
export function isSlower({ during, calm }: { during: Latencies; calm: Latencies }, tried: number): boolean {
  if (countOf(during) < REQUESTS_MIN || countOf(calm) < REQUESTS_MIN) return false
  return isSlowerAsAWhole(calm, during, tried) || hasMoreSlowOnes(calm, during, tried)
}

function isSlowerAsAWhole(calm: Latencies, during: Latencies, tried: number): boolean {
  const { before, after, pValue } = latencyChange(calm, during)
  return after >= FACTOR_MIN * before && pValue * tried < P_VALUE_BELOW
}

function hasMoreSlowOnes(calm: Latencies, during: Latencies, tried: number): boolean {
  const limitMs = percentileMs(calm, 99) * FACTOR_MIN
  const slow = { calm: countAbove(calm, limitMs), during: countAbove(during, limitMs) }
  const pValue = fisherExactP({ part: slow.calm, whole: countOf(calm) }, { part: slow.during, whole: countOf(during) })
  const isMore = slow.during / countOf(during) > slow.calm / countOf(calm)
  return isMore && slow.during >= SLOW_MIN && pValue * tried < P_VALUE_BELOW
}

function countAbove(latencies: Latencies, limitMs: number): number {
  if (latencies.exactNs) return latencies.exactNs.filter((ns) => ns / 1e6 > limitMs).length
  const limitBucket = bucketOf(limitMs * 1e6)
  return countsOf(latencies).reduce((sum, [bucket, count]) => (bucket > limitBucket ? sum + count : sum), 0)
}
