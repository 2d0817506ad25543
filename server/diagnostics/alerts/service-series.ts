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
  const of = (serviceName: string): ServiceSeries => {
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

export function minuteOfNs(ns: bigint): number {
  return Number(ns / NS_PER_MINUTE)
}
