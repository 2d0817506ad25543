import type { TimeWindow } from '../domain/time-window.ts'
import type { RequestGroup } from '../storage/diagnostics-reader.ts'
import { byName } from './by-name.ts'
import { percentChange } from './percent-change.ts'
import { rounded } from './rounding.ts'
import {
  apdexChange,
  type Comparison,
  latencyChanges,
  rateChange,
  significantOf,
  throughputChange,
} from './significance.ts'
import {
  COMPARED_METRICS,
  type ComparedMetric,
  roundedMetric,
  secondsOf,
  type WindowFigures,
  windowFigures,
} from './window-figures.ts'

export interface Regression {
  serviceName: string
  metric: ComparedMetric
  baselineValue: number
  currentValue: number
  changePercent: number
}

/** Requests of a window, by service. */
export interface WindowServices {
  window: TimeWindow
  services: RequestGroup[]
}

interface MetricChange extends Comparison {
  serviceName: string
  metric: ComparedMetric
}

const MORE_IS_WORSE: Record<ComparedMetric, boolean> = {
  avgLatencyMs: true,
  p95LatencyMs: true,
  errorRate: true,
  throughputRps: false,
  apdex: false,
}

/** What became significantly worse, by service and metric, the largest change first. Every metric of every service counts as compared. */
export function regressions(baseline: WindowServices, current: WindowServices): Regression[] {
  const before = new Map(baseline.services.map((group) => [group.serviceName, group]))
  const changes = current.services.flatMap((after) => {
    const group = before.get(after.serviceName)
    return group ? changesOf({ window: baseline.window, group }, { window: current.window, group: after }) : []
  })
  return significantOf(changes).filter(isWorse).map(regressionOf).sort(worstFirst)
}

interface Side {
  window: TimeWindow
  group: RequestGroup
}

function changesOf(before: Side, after: Side): MetricChange[] {
  const { serviceName } = after.group
  const comparisons = comparisonsOf(before, after)
  return COMPARED_METRICS.map((metric) => ({ serviceName, metric, ...comparisons[metric] }))
}

function comparisonsOf(before: Side, after: Side): Record<ComparedMetric, Comparison> {
  const [was, is] = [figuresOf(before), figuresOf(after)]
  const figures = (metric: ComparedMetric) => ({ before: was[metric], after: is[metric] })
  const latencies = [before.group.latencies, after.group.latencies] as const
  const [average, p95] = latencyChanges(...latencies, [figures('avgLatencyMs'), figures('p95LatencyMs')])
  return {
    avgLatencyMs: average as Comparison,
    p95LatencyMs: p95 as Comparison,
    errorRate: rateChange(errorsOf(before), errorsOf(after)),
    throughputRps: throughputChange(requestsOf(before), requestsOf(after)),
    apdex: apdexChange(apdexCountsOf(before), apdexCountsOf(after)),
  }
}

function figuresOf({ window, group }: Side): WindowFigures {
  return windowFigures(window, group, group.latencies)
}

function errorsOf({ group }: Side) {
  return { errors: group.errorCount, requests: group.requestCount }
}

function apdexCountsOf({ group }: Side) {
  return { requests: group.requestCount, satisfied: group.satisfiedCount, tolerating: group.toleratingCount }
}

function requestsOf({ window, group }: Side) {
  return { requests: group.requestCount, seconds: secondsOf(window) }
}

function isWorse({ metric, before, after }: MetricChange): boolean {
  return MORE_IS_WORSE[metric] ? after > before : after < before
}

function regressionOf({ serviceName, metric, before, after }: MetricChange): Regression {
  return {
    serviceName,
    metric,
    baselineValue: roundedMetric(metric, before),
    currentValue: roundedMetric(metric, after),
    changePercent: rounded(percentChange(before, after)),
  }
}

function worstFirst(a: Regression, b: Regression): number {
  return (
    Math.abs(b.changePercent) - Math.abs(a.changePercent) ||
    byName(a.serviceName, b.serviceName) ||
    COMPARED_METRICS.indexOf(a.metric) - COMPARED_METRICS.indexOf(b.metric)
  )
}
