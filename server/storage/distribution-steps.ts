import { MergedHistogram } from '../domain/merged-histogram.ts'
import type { ExponentialHistogramValue, HistogramValue, PointValue, SummaryValue } from '../domain/metric-point.ts'
import type { MetricReading, MetricStep } from './chart-reader.ts'

type Distribution = HistogramValue | ExponentialHistogramValue | SummaryValue

/** A point of a distribution: of each series ascending by time, with at least the last of each step. */
export interface DistributionPoint {
  series: string
  group: string
  stepNs: bigint
  timeNs: bigint
  startNs: bigint
  isDelta: boolean
  value: PointValue | null
}

interface Cell {
  group: string
  stepNs: bigint
  merged: MergedHistogram
  /** What each series grew in, for its rate. */
  growth: Map<string, { count: number; elapsedNs: number }>
}

/** What was recorded in each step from `firstNs` on: a sum of all points is told by how much it has grown. */
export function distributionSteps(
  points: DistributionPoint[],
  reading: Extract<MetricReading, { of: 'distributions' }>,
  range: { knownFromNs: bigint; firstNs: bigint },
): MetricStep[] {
  const cells = new Map<string, Cell>()
  const previous = new Map<string, DistributionPoint>()
  for (const point of points) {
    const { value, series, group, stepNs } = point
    if (!isDistribution(value)) continue
    const before = previous.get(series)
    previous.set(series, point)
    const grown = growthOf(point, value, before, range.knownFromNs)
    if (!grown || point.timeNs < range.firstNs) continue
    const key = JSON.stringify([group, String(stepNs)])
    const cell = cells.get(key) ?? { group, stepNs, merged: new MergedHistogram(), growth: new Map() }
    cells.set(key, cell)
    for (const { part, times } of grown.parts) addTo(cell.merged, part, times)
    const sums = cell.growth.get(series) ?? { count: 0, elapsedNs: 0 }
    cell.growth.set(series, { count: sums.count + grown.count, elapsedNs: sums.elapsedNs + grown.elapsedNs })
  }
  return [...cells.values()].flatMap((cell) => {
    const value = valueIn(cell, reading)
    return value === undefined || !Number.isFinite(value) ? [] : [{ group: cell.group, stepNs: cell.stepNs, value }]
  })
}

function valueIn(
  { merged, growth }: Cell,
  reading: Extract<MetricReading, { of: 'distributions' }>,
): number | undefined {
  if (reading.as === 'percentile') return merged.percentile(reading.percent)
  if (reading.as === 'mean') return merged.count > 0 ? merged.sum / merged.count : undefined
  const rates = [...growth.values()].filter(({ elapsedNs }) => elapsedNs > 0)
  return rates.length > 0 ? rates.reduce((sum, each) => sum + (each.count / each.elapsedNs) * 1e9, 0) : undefined
}

interface Growth {
  parts: { part: Distribution; times: 1 | -1 }[]
  count: number
  elapsedNs: number
}

/** Undefined where it takes an earlier point which is not there. */
function growthOf(
  { isDelta, timeNs, startNs }: DistributionPoint,
  value: Distribution,
  before: DistributionPoint | undefined,
  knownFromNs: bigint,
): Growth | undefined {
  const all = { parts: [{ part: value, times: 1 as const }], count: value.count }
  const sinceStart = Number(timeNs - startNs)
  if (isDelta) return { ...all, elapsedNs: startNs > 0n ? sinceStart : before ? Number(timeNs - before.timeNs) : 0 }
  if (!before) return startNs > 0n && startNs >= knownFromNs ? { ...all, elapsedNs: sinceStart } : undefined
  const elapsedNs = Number(timeNs - before.timeNs)
  const earlier = before.value
  if (!isDistribution(earlier) || startNs > before.timeNs || value.count < earlier.count) return { ...all, elapsedNs }
  return { parts: [...all.parts, { part: earlier, times: -1 }], count: value.count - earlier.count, elapsedNs }
}

/** A summary has no buckets, but what its mean and rate are told by. */
function addTo(merged: MergedHistogram, part: Distribution, times: 1 | -1): void {
  if ('quantiles' in part) {
    merged.count += times * part.count
    merged.sum += times * part.sum
  } else merged.add(part, times)
}

function isDistribution(value: PointValue | null): value is Distribution {
  return typeof value === 'object' && value !== null
}
