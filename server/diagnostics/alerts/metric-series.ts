import type { MetricPoint, PointValue } from '../../domain/metric-point.ts'

const NS_PER_MINUTE = 60_000_000_000n

/**
 * A stored metric as a rule sees it. A gauge, or a sum that may fall, is its average over the window in the series where
 * that is worst. A sum that only grows is how much it grows in a second, in all series together. A distribution is the
 * average of what was recorded in the window, over all series.
 */
export type MetricReading = 'worst average' | 'total rate' | 'overall average'

/** One series by minute: what was summed, and what to divide it by (points, seconds, or records). */
export interface MetricSeries {
  reading: MetricReading
  minutes: Map<number, { sum: number; weight: number }>
}

interface NamedSeries {
  serviceName: string
  name: string
  series: MetricSeries
}

/** Points ascend by time. */
export function metricSeriesOf(points: MetricPoint[]): NamedSeries[] {
  const found = new Map<string, NamedSeries & { previous: MetricPoint }>()
  for (const point of points) {
    if (point.value === null) continue
    const { serviceName, name, type, attributes, resource, scopeName } = point
    const key = JSON.stringify([serviceName, name, type, scopeName, attributes, resource])
    const known = found.get(key)
    const step = stepOf(point, known?.previous)
    if (known) known.previous = point
    const named = known ?? {
      serviceName,
      name,
      series: { reading: readingOf(point), minutes: new Map() },
      previous: point,
    }
    if (!known) found.set(key, named)
    if (step) addTo(named.series, Number(point.timeNs / NS_PER_MINUTE), step)
  }
  return [...found.values()]
}

function addTo({ minutes }: MetricSeries, minute: number, step: Step): void {
  const cell = minutes.get(minute) ?? { sum: 0, weight: 0 }
  minutes.set(minute, { sum: cell.sum + step.sum, weight: cell.weight + step.weight })
}

function readingOf({ type, monotonic }: MetricPoint): MetricReading {
  if (type === 'gauge' || (type === 'sum' && !monotonic)) return 'worst average'
  return type === 'sum' ? 'total rate' : 'overall average'
}

interface Step {
  sum: number
  weight: number
}

/** What a point adds to its minute; undefined where that takes an earlier point which is not there. */
function stepOf(point: MetricPoint, previous: MetricPoint | undefined): Step | undefined {
  const reading = readingOf(point)
  const { sum, count } = amountsOf(point.value)
  if (reading === 'worst average') return { sum, weight: 1 }
  const seconds = (fromNs: bigint) => Number(point.timeNs - fromNs) / 1e9
  if (point.temporality === 'delta')
    return reading === 'total rate' ? { sum, weight: seconds(point.startNs) } : { sum, weight: count }
  if (previous === undefined) return undefined
  const before = amountsOf(previous.value)
  const restarted =
    point.startNs > previous.timeNs || count < before.count || (reading === 'total rate' && sum < before.sum)
  const base = restarted ? { sum: 0, count: 0 } : before
  const weight = reading === 'total rate' ? seconds(previous.timeNs) : count - base.count
  return { sum: sum - base.sum, weight }
}

function amountsOf(value: PointValue | null): { sum: number; count: number } {
  if (value === null) return { sum: 0, count: 0 }
  if (typeof value === 'object') return { sum: value.sum ?? 0, count: value.count }
  return { sum: Number(value), count: 0 }
}
