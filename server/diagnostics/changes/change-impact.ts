import type { Latencies } from '../../domain/latencies.ts'
import type { TimeWindow } from '../../domain/time-window.ts'
import type { RequestSums } from '../../storage/diagnostics-reader.ts'
import { percentChange } from '../percent-change.ts'
import { type Comparison, latencyChange, rateChange, SIGNIFICANT, significantOf } from '../significance.ts'

export const ASSESSMENTS = ['negative', 'neutral', 'positive'] as const

export interface PerformanceImpact {
  latencyChange: string
  errorRateChange: string
  assessment: (typeof ASSESSMENTS)[number]
}

/** A service's requests on one side of a change. */
export type Side = Pick<RequestSums, 'requestCount' | 'errorCount' | 'durationNsSum'>

export interface Sides {
  before: Side
  after: Side
}

export const COMPARED_MINUTES = 30
const COMPARED_NS = BigInt(COMPARED_MINUTES) * 60_000_000_000n

interface Placed {
  serviceName: string
  atNs: bigint
}

/**
 * What to compare: up to 30 minutes on both sides, but not beyond another one of `turns` (deployments and the like) of the
 * same service, nor beyond the moment that is asked about.
 */
export function impactWindows(
  change: Placed,
  turns: Placed[],
  untilNs: bigint,
): { before: TimeWindow; after: TimeWindow } {
  const { atNs } = change
  const own = turns.filter(({ serviceName }) => serviceName === change.serviceName).map((turn) => turn.atNs)
  const startNs = own.reduce((start, turnNs) => (turnNs < atNs && turnNs > start ? turnNs : start), atNs - COMPARED_NS)
  const endNs = own.reduce((end, turnNs) => (turnNs > atNs && turnNs < end ? turnNs : end), atNs + COMPARED_NS)
  return {
    before: { startNs, endNs: atNs },
    after: { startNs: atNs, endNs: endNs < untilNs ? endNs : untilNs },
  }
}

/** Whether it takes the single latencies to judge the change of the average. */
export function needsLatencies({ before, after }: Sides): boolean {
  const isEnough = [before, after].every(({ requestCount }) => requestCount >= SIGNIFICANT.requestsMin)
  return isEnough && Math.abs(averageChange({ before, after })) >= SIGNIFICANT.effectPercentMin
}

/** One for each change, in the same order. What is significant depends on how many changes are judged at once. */
export function performanceImpacts(
  changes: (Sides & { latencies?: { before: Latencies; after: Latencies } })[],
): PerformanceImpact[] {
  const comparisons = changes.flatMap((change, index) => comparisonsOf(change).map((each) => ({ ...each, index })))
  const significant = significantOf(comparisons)
  return changes.map((change, index) => {
    const own = significant.filter((each) => each.index === index)
    return {
      latencyChange: percentText(averageChange(change)),
      errorRateChange: percentText(errorRateChange(change)),
      assessment: assessmentOf(own),
    }
  })
}

/** The error rate decides where it changed: requests that fail fast, or time out, say nothing of how fast the others are. */
function assessmentOf(significant: Judged[]): PerformanceImpact['assessment'] {
  const deciding = significant.find(({ figure }) => figure === 'errorRate') ?? significant[0]
  if (deciding === undefined) return 'neutral'
  return deciding.after > deciding.before ? 'negative' : 'positive'
}

interface Judged extends Comparison {
  figure: 'errorRate' | 'latency'
}

function comparisonsOf({ before, after, latencies }: Parameters<typeof performanceImpacts>[0][number]): Judged[] {
  const figures = { before: averageMs(before), after: averageMs(after) }
  const counts = { requestsBefore: before.requestCount, requestsAfter: after.requestCount }
  const errorRate = rateChange(
    { errors: before.errorCount, requests: before.requestCount },
    { errors: after.errorCount, requests: after.requestCount },
  )
  const latency = latencies
    ? latencyChange(latencies.before, latencies.after, figures)
    : { ...figures, ...counts, pValue: 1, matters: false }
  return [
    { ...errorRate, figure: 'errorRate' },
    { ...latency, figure: 'latency' },
  ]
}

/** Without requests on a side there is nothing to compare. */
function averageChange({ before, after }: Sides): number {
  if (before.requestCount === 0 || after.requestCount === 0) return 0
  return percentChange(averageMs(before), averageMs(after))
}

function errorRateChange({ before, after }: Sides): number {
  if (before.requestCount === 0 || after.requestCount === 0) return 0
  return percentChange(before.errorCount / before.requestCount, after.errorCount / after.requestCount)
}

function averageMs({ requestCount, durationNsSum }: Side): number {
  return requestCount === 0 ? 0 : Number(durationNsSum) / requestCount / 1e6
}

/** `+145%`, `-22%`, `0%`. */
function percentText(percent: number): string {
  const whole = Math.round(percent)
  return whole === 0 ? '0%' : `${whole > 0 ? '+' : ''}${whole}%`
}
