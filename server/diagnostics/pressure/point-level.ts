import type { MetricPoint } from '../../domain/metric-point.ts'

/** What a unit is in the conventions' own: seconds, bytes, shares of 1. Everything else is counted as it is. */
const FACTORS: Record<string, number> = {
  '%': 0.01,
  percent: 0.01,
  ns: 1e-9,
  us: 1e-6,
  ms: 1e-3,
  milliseconds: 1e-3,
  nanoseconds: 1e-9,
  min: 60,
  kBy: 1e3,
  KBy: 1e3,
  MBy: 1e6,
  GBy: 1e9,
  KiBy: 1024,
  MiBy: 1024 ** 2,
  GiBy: 1024 ** 3,
  kilobytes: 1e3,
  megabytes: 1e6,
}

/**
 * A point's number in the conventions' unit. Nothing where it says none: no recorded value, a distribution, NaN, an
 * infinity, a negative (which exporters use for "no limit"), or a change of something whose height nobody told.
 */
export function levelOf(point: MetricPoint): number | undefined {
  if (point.type === 'sum' && point.temporality === 'delta') return undefined
  const value = numberOf(point)
  return value === undefined || value < 0 ? undefined : value
}

/**
 * What a counter gained a second, between its last point and this one. Where it began anew in between, since it did;
 * nothing where that cannot be told.
 */
export function rateOf(point: MetricPoint, last: MetricPoint | undefined): number | undefined {
  const value = numberOf(point)
  if (value === undefined || value < 0) return undefined
  if (point.temporality === 'delta') return perSecond(value, point.timeNs - point.startNs)
  if (last === undefined) return undefined
  if (point.startNs > last.timeNs) return perSecond(value, point.timeNs - point.startNs)
  const before = numberOf(last)
  return before === undefined || value < before ? undefined : perSecond(value - before, point.timeNs - last.timeNs)
}

function perSecond(gain: number, elapsedNs: bigint): number | undefined {
  return elapsedNs <= 0n ? undefined : (gain / Number(elapsedNs)) * 1e9
}

function numberOf({ value, unit }: MetricPoint): number | undefined {
  if (typeof value !== 'number' && typeof value !== 'bigint') return undefined
  const level = Number(value) * (FACTORS[unit] ?? 1)
  return Number.isFinite(level) ? level : undefined
}
