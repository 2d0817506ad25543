import { mergedLatencies, percentileMs } from '../domain/latencies.ts'
import type { TimeWindow } from '../domain/time-window.ts'
import type { RequestGroup } from '../storage/diagnostics-reader.ts'
import { percentChange, withoutNoise } from './percent-change.ts'
import { figuresOf, sumOfRequests } from './request-figures.ts'
import { rounded, roundedRate } from './rounding.ts'
import { NS_PER_MINUTE } from './windows.ts'

export const TRENDS = ['increasing', 'decreasing', 'stable'] as const
export type Trend = (typeof TRENDS)[number]

interface Change {
  trend: Trend
  changePercent: number
}

interface Percentiles {
  p50: number
  p95: number
  p99: number
}

export interface Trends {
  latency: Change & { current: Percentiles; baseline: Percentiles }
  errorRate: Change & { current: number; baseline: number }
  throughput: Change & { currentRps: number; baselineRps: number }
}

/** All requests of a Grid in one window, in any groups. */
export interface WindowRequests {
  window: TimeWindow
  requests: RequestGroup[]
}

/** Changes up to this, either way, are none. */
const STABLE_PERCENT = 5
const STABLE_ERROR_RATE_POINTS = 0.1
/** On fewer requests than this nothing is said to change. */
const ENOUGH_REQUESTS = 30
/** A baseline that is shorter than this says nothing. */
const BASELINE_MIN_NS = 5n * NS_PER_MINUTE

/**
 * How the requests of the current window compare with those of the baseline. Rates are per the time since the Grid's first
 * data where that is later than a window's start. With too little of a baseline nothing changed, by 0.
 */
export function trends(current: WindowRequests, baseline: WindowRequests, firstSpanNs: bigint | undefined): Trends {
  const [now, before] = [figures(current, firstSpanNs), figures(baseline, firstSpanNs)]
  const comparable = before.requestCount >= ENOUGH_REQUESTS && before.lengthNs >= BASELINE_MIN_NS
  const enough = now.requestCount >= ENOUGH_REQUESTS
  const change = (was: number, is: number, stable = false): Change => {
    if (!comparable) return { trend: 'stable', changePercent: 0 }
    const percent = percentChange(was, is)
    return { trend: stable || !enough ? 'stable' : trendOf(percent), changePercent: rounded(percent) }
  }
  const points = Math.abs(withoutNoise(now.errorRate - before.errorRate))
  return {
    latency: {
      ...change(before.percentiles.p95, now.percentiles.p95),
      current: roundedPercentiles(now.percentiles),
      baseline: roundedPercentiles(before.percentiles),
    },
    errorRate: {
      ...change(before.errorRate, now.errorRate, points <= STABLE_ERROR_RATE_POINTS),
      current: rounded(now.errorRate),
      baseline: rounded(before.errorRate),
    },
    throughput: {
      ...change(before.rps, now.rps),
      currentRps: roundedRate(now.rps),
      baselineRps: roundedRate(before.rps),
    },
  }
}

function trendOf(percent: number): Trend {
  if (Math.abs(percent) <= STABLE_PERCENT) return 'stable'
  return percent > 0 ? 'increasing' : 'decreasing'
}

function figures({ window, requests }: WindowRequests, firstSpanNs: bigint | undefined) {
  const { requestCount, errorRate } = figuresOf(sumOfRequests(requests))
  const latencies = mergedLatencies(requests.map((group) => group.latencies))
  const lengthNs = knownLengthNs(window, firstSpanNs)
  const percentiles = {
    p50: percentileMs(latencies, 50),
    p95: percentileMs(latencies, 95),
    p99: percentileMs(latencies, 99),
  }
  return { requestCount, errorRate, percentiles, lengthNs, rps: ratePerSecond(requestCount, lengthNs) }
}

/** How much of a window lies after the Grid's first data. */
function knownLengthNs({ startNs, endNs }: TimeWindow, firstSpanNs: bigint | undefined): bigint {
  const fromNs = firstSpanNs !== undefined && firstSpanNs > startNs ? firstSpanNs : startNs
  return fromNs < endNs ? endNs - fromNs : 0n
}

/** Over less than a second a rate per second means nothing: the first request of a Grid is one a second. */
function ratePerSecond(requestCount: number, lengthNs: bigint): number {
  return requestCount / Math.max(1, Number(lengthNs) / 1e9)
}

function roundedPercentiles({ p50, p95, p99 }: Percentiles): Percentiles {
  return { p50: rounded(p50), p95: rounded(p95), p99: rounded(p99) }
}
