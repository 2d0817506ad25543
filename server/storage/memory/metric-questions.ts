import type { MetricPoint } from '../../domain/metric-point.ts'
import type { TimeWindow } from '../../domain/time-window.ts'
import { ascending } from './ascending.ts'
import { seriesKey } from './grid-rows.ts'

/** Ascending by time, then by series. */
export function pointsIn(points: MetricPoint[], names: string[], window: TimeWindow): MetricPoint[] {
  return points
    .filter((point) => names.includes(point.name) && isIn(point, window))
    .toSorted((a, b) => ascending(a.timeNs, b.timeNs) || ascending(seriesKey(a), seriesKey(b)))
}

export function metricNames(points: MetricPoint[], window: TimeWindow): string[] {
  const own = points.filter((point) => isIn(point, window))
  return [...new Set(own.map((point) => point.name))].toSorted(ascending)
}

function isIn({ timeNs }: MetricPoint, { startNs, endNs }: TimeWindow): boolean {
  return startNs <= timeNs && timeNs < endNs
}
