import { apdexOf } from '../domain/apdex.ts'
import { bucketOf, countOf, type Latencies, percentileMs } from '../domain/latencies.ts'
import { percentChange, withoutNoise } from './percent-change.ts'
import { eventRatesP } from './statistics/event-rates.ts'
import { fisherExactP } from './statistics/fisher-exact.ts'
import { holmAdjusted } from './statistics/holm.ts'
import { type RankTest, rankTest, type Sample } from './statistics/rank-test.ts'

/** What the product calls significant, everywhere: all four of these. */
export const SIGNIFICANT = {
  /** P-values, after correction for how many things were compared, are below this. */
  pValueBelow: 0.01,
  /** The figure changed by at least so many percent of what it was, */
  effectPercentMin: 20,
  /** or, an error rate, by at least so many points. */
  errorRatePointsMin: 1,
  /** Each side has at least so many requests. */
  requestsMin: 30,
} as const

/** A figure before and after. What was compared stands beside it in a type that extends this one. */
export interface Comparison {
  before: number
  after: number
  requestsBefore: number
  requestsAfter: number
  /**
   * Two-sided, and not corrected for how many things were compared: how likely chance alone makes two sides differ this much
   * that are the same in truth.
   */
  pValue: number
  /** Whether the figure changed enough to matter, whatever the p-value. */
  matters: boolean
}

export interface ErrorCount {
  errors: number
  requests: number
}

/** Error rates, in percent. */
export function rateChange(before: ErrorCount, after: ErrorCount): Comparison {
  const figures = { before: errorRateOf(before), after: errorRateOf(after) }
  return {
    ...figures,
    requestsBefore: before.requests,
    requestsAfter: after.requests,
    pValue: fisherExactP(
      { part: before.errors, whole: before.requests },
      { part: after.errors, whole: after.requests },
    ),
    matters: Math.abs(withoutNoise(figures.after - figures.before)) >= SIGNIFICANT.errorRatePointsMin,
  }
}

/**
 * A figure of latencies, in milliseconds: by default the median; an average or another percentile may be given instead. The
 * test is on the ranks of all requests. Where the ranks say the opposite of the figure (a few requests got very slow, most
 * got faster), it is not evidence for the figure's change, and the p-value is 1. Durations are compared one by one where
 * both sides have them so, and else by their buckets.
 */
export function latencyChange(before: Latencies, after: Latencies, figuresMs = mediansMs(before, after)): Comparison {
  return latencyChanges(before, after, [figuresMs])[0] as Comparison
}

/** The same of several figures of the same latencies. */
export function latencyChanges(before: Latencies, after: Latencies, figuresMs: Figures[]): Comparison[] {
  const ranks = rankTest(...samplesOf(before, after))
  const [requestsBefore, requestsAfter] = [countOf(before), countOf(after)]
  return figuresMs.map((figures) => ({
    ...figures,
    requestsBefore,
    requestsAfter,
    pValue: agreeingP(ranks, figures),
    matters: mattersRelatively(figures),
  }))
}

export interface ApdexCount {
  requests: number
  satisfied: number
  tolerating: number
}

/** Apdex, by the ranks of satisfied over tolerating over frustrated requests. */
export function apdexChange(before: ApdexCount, after: ApdexCount): Comparison {
  const figures = { before: apdexOfCount(before), after: apdexOfCount(after) }
  return {
    ...figures,
    requestsBefore: before.requests,
    requestsAfter: after.requests,
    pValue: agreeingP(rankTest(verdictsOf(before), verdictsOf(after)), figures),
    matters: mattersRelatively(figures),
  }
}

/** Frustrated, tolerating, satisfied. */
function verdictsOf({ requests, satisfied, tolerating }: ApdexCount): Sample {
  return { values: [0, 1, 2], counts: [requests - satisfied - tolerating, tolerating, satisfied] }
}

export interface RequestCount {
  requests: number
  /** Above 0. */
  seconds: number
}

/** Requests per second. */
export function throughputChange(before: RequestCount, after: RequestCount): Comparison {
  const figures = { before: before.requests / before.seconds, after: after.requests / after.seconds }
  return {
    ...figures,
    requestsBefore: before.requests,
    requestsAfter: after.requests,
    pValue: eventRatesP(
      { events: before.requests, time: before.seconds },
      { events: after.requests, time: after.seconds },
    ),
    matters: mattersRelatively(figures),
  }
}

/**
 * Those that are significant among all that were compared, in the same order. Give everything that was looked at, also what
 * did not change: the correction is for how many there are. What has too few requests to be judged is not compared, and
 * makes no other comparison harder.
 */
export function significantOf<C extends Comparison>(comparisons: C[]): C[] {
  const compared = comparisons.filter(
    ({ requestsBefore, requestsAfter }) => Math.min(requestsBefore, requestsAfter) >= SIGNIFICANT.requestsMin,
  )
  const pValues = holmAdjusted(compared.map(({ pValue }) => pValue))
  return compared.filter(({ matters }, i) => matters && (pValues[i] as number) < SIGNIFICANT.pValueBelow)
}

interface Figures {
  before: number
  after: number
}

function mattersRelatively({ before, after }: Figures): boolean {
  return Math.abs(percentChange(before, after)) >= SIGNIFICANT.effectPercentMin
}

function agreeingP({ pValue, superiority }: RankTest, figures: Figures): number {
  return (superiority - 0.5) * (figures.after - figures.before) > 0 ? pValue : 1
}

/** In what both sides can be compared in. */
function samplesOf(before: Latencies, after: Latencies): [Sample, Sample] {
  if (before.exactNs && after.exactNs) return [{ values: before.exactNs }, { values: after.exactNs }]
  return [bucketsOf(before), bucketsOf(after)]
}

function bucketsOf({ exactNs, buckets, counts }: Latencies): Sample {
  return exactNs ? { values: exactNs.map(bucketOf) } : { values: buckets, counts }
}

function mediansMs(before: Latencies, after: Latencies): Figures {
  return { before: percentileMs(before, 50), after: percentileMs(after, 50) }
}

function errorRateOf({ errors, requests }: ErrorCount): number {
  return requests === 0 ? 0 : (errors / requests) * 100
}

function apdexOfCount({ requests, satisfied, tolerating }: ApdexCount): number {
  return apdexOf(satisfied, tolerating, requests)
}
