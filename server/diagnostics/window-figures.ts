import { type Latencies, percentileMs } from '../domain/latencies.ts'
import type { TimeWindow } from '../domain/time-window.ts'
import type { RequestSums } from '../storage/diagnostics-reader.ts'
import { figuresOf } from './request-figures.ts'
import { rounded, roundedRate } from './rounding.ts'

/** What two windows are compared by. */
export const COMPARED_METRICS = ['avgLatencyMs', 'p95LatencyMs', 'errorRate', 'throughputRps', 'apdex'] as const
export type ComparedMetric = (typeof COMPARED_METRICS)[number]

export type WindowFigures = Record<ComparedMetric, number>

/** Not rounded. */
export function windowFigures(window: TimeWindow, sums: RequestSums, latencies: Latencies): WindowFigures {
  const { avgLatencyMs, errorRate, apdex, requestCount } = figuresOf(sums)
  const seconds = secondsOf(window)
  return {
    avgLatencyMs,
    p95LatencyMs: percentileMs(latencies, 95),
    errorRate,
    throughputRps: seconds > 0 ? requestCount / seconds : 0,
    apdex,
  }
}

export function secondsOf({ startNs, endNs }: TimeWindow): number {
  return Number(endNs - startNs) / 1e9
}

/** As an answer shows it. */
export function roundedMetric(metric: ComparedMetric, value: number): number {
  return metric === 'throughputRps' ? roundedRate(value) : rounded(value)
}

export function eachMetric<T>(make: (metric: ComparedMetric) => T): Record<ComparedMetric, T> {
  return Object.fromEntries(COMPARED_METRICS.map((metric) => [metric, make(metric)])) as Record<ComparedMetric, T>
}
