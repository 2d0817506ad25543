import type { Attributes } from '../../../domain/attributes.ts'
import type { MetricPoint } from '../../../domain/metric-point.ts'
import { metricPointOf, type PointLiteral } from '../../../storage/conformance/metric-builder.ts'
import { atNs } from '../../../storage/conformance/test-time.ts'
import { failuresOf } from '../../../storage/memory/failures-in.ts'
import { type PressureFacts, type PressurePoint, pressurePoints, recentMetrics } from '../pressure-points.ts'

/** The moment that tests ask about, half an hour after the base time. */
export const AT_MS = 1_800_000
const MINUTE_MS = 60_000

export type SeriesValue = number | bigint | null
export interface Series extends Omit<PointLiteral, 'value' | 'atMs' | 'timeNs'> {
  name: string
  /** A minute apart, the last one ten seconds before the moment asked about. One alone stands for five of the same. */
  values: SeriesValue | SeriesValue[]
  /** How long before the moment asked about the last value was; by default 10 seconds. */
  agoMs?: number
}

/** Points of the series, by time: of the service `shop` unless told otherwise. */
export function pointsOf(...all: Series[]): MetricPoint[] {
  return all
    .flatMap(({ values, agoMs = 10_000, ...literal }) => {
      const list = Array.isArray(values) ? values : Array<SeriesValue>(5).fill(values)
      return list.map((value, i) => {
        const atMs = AT_MS - agoMs - (list.length - 1 - i) * MINUTE_MS
        return metricPointOf({ service: 'shop', unit: '', ...literal, value, atMs })
      })
    })
    .sort((a, b) => Number(a.timeNs - b.timeNs))
}

export function gauge(name: string, values: Series['values'], attributes: Attributes = {}, more = {}): Series {
  return { name, values, attributes, ...more }
}

/** Something that goes up and down, as most SDKs send it. */
export function updown(name: string, values: Series['values'], attributes: Attributes = {}, more = {}): Series {
  return { name, values, attributes, type: 'sum', temporality: 'cumulative', ...more }
}

/** Something that only counts up. */
export function counter(name: string, values: Series['values'], attributes: Attributes = {}, more = {}): Series {
  return { name, values, attributes, type: 'sum', temporality: 'cumulative', monotonic: true, ...more }
}

/** Five readings of a counter that gains so much a second. */
export function gaining(perSecond: number): number[] {
  return [0, 1, 2, 3, 4].map((minute) => 1000 + minute * 60 * perSecond)
}

/** A window that ends at the moment asked about. */
export function lastMinutes(minutes: number) {
  return { startNs: atNs(AT_MS - minutes * MINUTE_MS), endNs: atNs(AT_MS) }
}

/** What is said of the facts; of metrics alone unless there are more. */
export function pressureOf(points: MetricPoint[], more: Partial<PressureFacts> = {}): PressurePoint[] {
  const window = lastMinutes(15)
  const recent = lastMinutes(5)
  const failures = { failures: failuresOf([], recent), asked: recent, window: recent, requests: [] }
  const metrics = recentMetrics(points, window.endNs)
  return pressurePoints({ window, metrics, earlierPoints: [], failures, edges: [], ...more })
}
