import type { MetricPoint } from '../../domain/metric-point.ts'
import { NS_PER_HOUR, type TimeWindow } from '../../domain/time-window.ts'
import { LOOKED_BACK_NS, type MetricStep, type MetricStepQuestion, type MetricTraits } from '../chart-reader.ts'
import { distributionSteps } from '../distribution-steps.ts'
import { ascending } from './ascending.ts'
import { seriesKey } from './grid-rows.ts'
import { groupedBy } from './grouped-by.ts'
import { pointsIn } from './metric-questions.ts'
import { hourOf, stepOf } from './time-units.ts'

export function metricTraits(points: MetricPoint[], name: string, window: TimeWindow): MetricTraits | undefined {
  const own = pointsIn(points, [name], window)
  const newest = own.at(-1)
  if (!newest) return undefined
  const lastHour = own.filter(({ timeNs }) => hourOf(timeNs) === hourOf(newest.timeNs))
  const gaps = [...groupedBy(lastHour, seriesKey).values()].flatMap((series) =>
    series.slice(1).map((point, i) => point.timeNs - (series[i] as MetricPoint).timeNs),
  )
  const { unit, type, temporality, monotonic } = newest
  const median = gaps.toSorted(ascending)[Math.max(0, Math.ceil(gaps.length / 2) - 1)]
  return { unit, type, temporality, monotonic, intervalNs: median ?? NS_PER_HOUR }
}

/** `text` tells the attributes of a point. */
export function metricSteps(
  points: MetricPoint[],
  question: MetricStepQuestion,
  text: (point: MetricPoint, key: string) => string | undefined,
): MetricStep[] {
  const { name, window, stepMinutes, serviceName, filter, groupBy, reading } = question
  const known = { startNs: window.startNs - LOOKED_BACK_NS, endNs: window.endNs }
  const own = pointsIn(points, [name], known).filter(
    (point) =>
      (serviceName ?? point.serviceName) === point.serviceName &&
      Object.entries(filter).every(([key, value]) => text(point, key) === value),
  )
  const placed = own.map((point) => ({
    series: seriesKey(point),
    group: groupBy === '' ? '' : (text(point, groupBy) ?? ''),
    stepNs: stepOf(point.timeNs, stepMinutes),
    timeNs: point.timeNs,
    startNs: point.startNs,
    isDelta: point.temporality === 'delta',
    value: point.value,
  }))
  if (reading.of === 'distributions')
    return distributionSteps(placed, reading, { knownFromNs: known.startNs, firstNs: window.startNs })
  const numbers = placed.flatMap((point) => (isNumber(point.value) ? [{ ...point, value: Number(point.value) }] : []))
  const cells = groupedBy(reading.as === 'rate' ? grown(numbers, known.startNs) : numbers, ({ group, stepNs }) =>
    JSON.stringify([group, String(stepNs)]),
  )
  return [...cells.values()].flatMap((cell) => {
    const within = cell.filter(({ timeNs }) => timeNs >= window.startNs)
    const [first] = within
    return first ? [{ group: first.group, stepNs: first.stepNs, value: readOf(within, reading.as) }] : []
  })
}

interface NumberPoint {
  series: string
  group: string
  stepNs: bigint
  timeNs: bigint
  startNs: bigint
  isDelta: boolean
  value: number
  /** Of growth: in what time. */
  elapsedNs?: number
}

function isNumber(value: MetricPoint['value']): value is number | bigint {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value))
}

function readOf(cell: NumberPoint[], as: 'average' | 'least' | 'greatest' | 'total' | 'rate'): number {
  const values = cell.map(({ value }) => value)
  const mean = (numbers: number[]) => numbers.reduce((sum, value) => sum + value, 0) / numbers.length
  if (as === 'average') return mean(values)
  if (as === 'least') return Math.min(...values)
  if (as === 'greatest') return Math.max(...values)
  const bySeries = [...groupedBy(cell, ({ series }) => series).values()]
  const total = (numberOf: (points: NumberPoint[]) => number) =>
    bySeries.reduce((sum, points) => sum + numberOf(points), 0)
  if (as === 'total') return total((points) => mean(points.map(({ value }) => value)))
  return total((points) => {
    const growth = points.reduce((sum, { value }) => sum + value, 0)
    return (growth / points.reduce((sum, { elapsedNs = 0 }) => sum + elapsedNs, 0)) * 1e9
  })
}

/** What each point has added to those before it, where that is known. */
function grown(points: NumberPoint[], knownFromNs: bigint): NumberPoint[] {
  return [...groupedBy(points, ({ series }) => series).values()].flatMap((series) =>
    series.flatMap((point, i) => {
      const before = series[i - 1]
      const isNew = !point.isDelta && point.startNs > 0n && point.startNs >= knownFromNs
      const fromNs =
        point.isDelta && point.startNs > 0n ? point.startNs : (before?.timeNs ?? (isNew ? point.startNs : undefined))
      if (fromNs === undefined || fromNs >= point.timeNs) return []
      const beganAnew = !before || point.startNs > before.timeNs || point.value < before.value
      const value = point.isDelta || beganAnew ? point.value : point.value - before.value
      return [{ ...point, value, elapsedNs: Number(point.timeNs - fromNs) }]
    }),
  )
}
