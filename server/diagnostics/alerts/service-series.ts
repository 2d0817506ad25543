import { isRuleMetric, RULE_LIMITS } from '../../domain/alert-rule.ts'
import type { MetricPoint } from '../../domain/metric-point.ts'
import type { LogCounts, RequestGroup } from '../../storage/diagnostics-reader.ts'
import { type MetricSeries, metricSeriesOf } from './metric-series.ts'

const NS_PER_MINUTE = 60_000_000_000n

/** What one service did, by minute; minutes are numbered since the epoch, and one without anything is missing. */
export interface ServiceSeries {
  requests: Map<number, RequestGroup>
  logErrors: Map<number, number>
  /** By the name of the metric. */
  metrics: Map<string, MetricSeries[]>
}

export interface GridRows {
  /** By service and minute. */
  requests: RequestGroup[]
  logCounts: LogCounts[]
  /** Ascending by time. */
  points: MetricPoint[]
}

export const NO_SERIES: ServiceSeries = { requests: new Map(), logErrors: new Map(), metrics: new Map() }

export function seriesByService({ requests, logCounts, points }: GridRows): Map<string, ServiceSeries> {
  const services = new Map<string, ServiceSeries>()
  const of = (name: string): ServiceSeries => {
    const serviceName = storableName(name)
    const known = services.get(serviceName)
    if (known) return known
    const made = { requests: new Map(), logErrors: new Map(), metrics: new Map() }
    services.set(serviceName, made)
    return made
  }
  for (const group of requests) of(group.serviceName).requests.set(minuteOfNs(group.minuteNs), group)
  for (const { serviceName, minuteNs, errorCount } of logCounts)
    of(serviceName).logErrors.set(minuteOfNs(minuteNs), errorCount)
  for (const { serviceName, name, series } of metricSeriesOf(points)) {
    const { metrics } = of(serviceName)
    metrics.set(name, [...(metrics.get(name) ?? []), series])
  }
  return services
}

/** Names come from anywhere. What an alert is kept under is short, and has no characters that a database would alter. */
function storableName(serviceName: string): string {
  return serviceName.slice(0, RULE_LIMITS.serviceNameCharsMax).replaceAll(UNSTORABLE, '\u{fffd}')
}

const UNSTORABLE = /[\0\p{Surrogate}]/gu

function minuteOfNs(ns: bigint): number {
  return Number(ns / NS_PER_MINUTE)
}

/** Whether the service has sent anything of the kind that a rule on this metric judges. */
export function hasDataFor(metric: string, { requests, logErrors, metrics }: ServiceSeries): boolean {
  if (!isRuleMetric(metric)) return metrics.has(metric)
  return metric === 'log_errors' ? logErrors.size > 0 : requests.size > 0
}
