import type { HistogramValue, PointValue } from '../../../domain/metric-point.ts'
import type { PointLiteral } from '../../conformance/metric-builder.ts'
import { SeededRandom } from '../../conformance/seeded-random.ts'
import { atNs, MS_PER_HOUR } from '../../conformance/test-time.ts'

interface Sort {
  type: 'gauge' | 'sum' | 'histogram' | 'exponential_histogram' | 'summary'
  temporality: 'unspecified' | 'delta' | 'cumulative'
  /** Whether points say since when they count. */
  hasStart: boolean
}

const SORTS: Record<string, Sort> = {
  gauge: { type: 'gauge', temporality: 'unspecified', hasStart: false },
  counter: { type: 'sum', temporality: 'cumulative', hasStart: true },
  'counter without start': { type: 'sum', temporality: 'cumulative', hasStart: false },
  'delta counter': { type: 'sum', temporality: 'delta', hasStart: true },
  'delta counter without start': { type: 'sum', temporality: 'delta', hasStart: false },
  histogram: { type: 'histogram', temporality: 'cumulative', hasStart: true },
  'delta histogram': { type: 'histogram', temporality: 'delta', hasStart: true },
  'delta histogram without start': { type: 'histogram', temporality: 'delta', hasStart: false },
  exponential: { type: 'exponential_histogram', temporality: 'cumulative', hasStart: true },
  'delta exponential': { type: 'exponential_histogram', temporality: 'delta', hasStart: true },
  summary: { type: 'summary', temporality: 'cumulative', hasStart: true },
}

export const METRIC_NAMES = Object.keys(SORTS)

const SERIES = [
  { service: 'shop', attributes: { pool: 'a' } },
  { service: 'shop', attributes: { pool: 'b' }, resource: { region: 'eu' } },
  { service: 'pay', attributes: { pool: 'a' }, resource: { region: 'us' } },
]

/**
 * Points of every sort in a range of hours: about every minute and a half, with gaps of minutes and of hours, resets that are
 * told and such that are not, numbers that are none, and buckets that change.
 */
export function randomPoints(seed: number, firstHour: number, hours: number): PointLiteral[] {
  return METRIC_NAMES.flatMap((name, i) =>
    SERIES.flatMap((own, j) => seriesOf(name, own, firstHour, hours, new SeededRandom(seed * 1000 + i * 10 + j))),
  )
}

function seriesOf(
  name: string,
  own: PointLiteral,
  firstHour: number,
  hours: number,
  random: SeededRandom,
): PointLiteral[] {
  const { type, temporality, hasStart } = SORTS[name] as Sort
  const points: PointLiteral[] = []
  const firstMs = firstHour * MS_PER_HOUR
  let [startMs, beforeMs, counted] = [firstMs - 2 * MS_PER_HOUR, firstMs, 0]
  for (let atMs = firstMs + random.below(90_000); atMs < firstMs + hours * MS_PER_HOUR; ) {
    const isNew = random.chance(0.02)
    if (isNew && hasStart) startMs = Math.max(beforeMs + 1, atMs - random.below(20_000))
    // Distributions are compared step by step: those that fall without saying so cannot be told.
    counted = isNew && (hasStart || type === 'sum') ? random.below(5) : counted + random.below(9)
    const sinceMs = temporality === 'delta' ? beforeMs : startMs
    const amount = temporality === 'delta' ? 1 + random.below(9) : counted
    points.push({
      ...own,
      ...{ name, type, temporality, monotonic: type === 'sum', atMs },
      startNs: hasStart && type !== 'gauge' ? atNs(sinceMs) : 0n,
      value: pointValue(type, amount, random),
    })
    beforeMs = atMs
    atMs += 1 + random.below(random.chance(0.01) ? 4 * MS_PER_HOUR : random.chance(0.05) ? 900_000 : 180_000)
  }
  return points
}

function pointValue(type: Sort['type'], amount: number, random: SeededRandom): PointValue | null {
  if (random.chance(0.03)) return null
  if (type === 'gauge') return random.chance(0.05) ? random.pick([Number.NaN, 2n ** 60n]) : random.fraction() * 100 - 20
  if (type === 'sum') return amount
  if (type === 'summary') return { count: amount, sum: amount * 2, quantiles: [] }
  const extremes = { count: amount, sum: random.chance(0.1) ? null : amount * 7, min: null, max: null }
  if (type === 'histogram') return histogramOf(extremes, amount, random)
  return {
    ...extremes,
    ...{ scale: random.chance(0.1) ? 1 : 2, zeroCount: 0, zeroThreshold: 0 },
    positive: { offset: random.below(3), counts: [amount, 0, amount] },
    negative: { offset: 0, counts: random.chance(0.5) ? [] : [amount] },
  }
}

function histogramOf(
  extremes: Omit<HistogramValue, 'explicitBounds' | 'bucketCounts'>,
  amount: number,
  random: SeededRandom,
) {
  const bounds = random.chance(0.1) ? [10, 40] : [10, 20, 40]
  const bucketCounts = [...bounds, 0].map((_, i) => (i === 1 ? amount : 0))
  return { ...extremes, explicitBounds: bounds, bucketCounts }
}
