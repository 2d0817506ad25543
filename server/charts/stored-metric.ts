import { rounded, roundedRate } from '../diagnostics/rounding.ts'
import type { MetricReading, MetricTraits } from '../storage/chart-reader.ts'

/** A stored metric as a chart names it: `jvm.cpu.recent_utilization`, or `http.server.request.duration:p99`. */
export interface StoredMetric {
  name: string
  /** How it is to be read; undefined for what suits its type. */
  suffix: string | undefined
}

const SUFFIX = /^(?:avg|min|max|sum|rate|p\d{1,2}(?:\.\d{1,2})?)$/

export function storedMetricOf(metric: string): StoredMetric {
  const at = metric.lastIndexOf(':')
  const suffix = metric.slice(at + 1)
  return at > 0 && SUFFIX.test(suffix) ? { name: metric.slice(0, at), suffix } : { name: metric, suffix: undefined }
}

/** Undefined where a metric of this type cannot be read so. */
export function readingOf({ suffix }: StoredMetric, traits: MetricTraits): MetricReading | undefined {
  const { type, monotonic } = traits
  if (type === 'gauge' || type === 'sum') {
    const byDefault = type === 'gauge' ? 'avg' : monotonic ? 'rate' : 'sum'
    const as = NUMBERS[suffix ?? byDefault]
    return as === undefined || (as === 'rate' && !monotonic) ? undefined : { of: 'numbers', as }
  }
  const asked = suffix ?? (type === 'summary' ? 'avg' : 'p95')
  if (asked === 'avg') return { of: 'distributions', as: 'mean' }
  if (asked === 'rate') return { of: 'distributions', as: 'rate' }
  const percent = asked.startsWith('p') && type !== 'summary' ? Number(asked.slice(1)) : 0
  return percent > 0 ? { of: 'distributions', as: 'percentile', percent } : undefined
}

const NUMBERS: Record<string, Extract<MetricReading, { of: 'numbers' }>['as']> = {
  avg: 'average',
  min: 'least',
  max: 'greatest',
  sum: 'total',
  rate: 'rate',
}

/** What a reading is counted in. Seconds are told in milliseconds: of two decimals little would be left. */
export function unitOfReading(reading: MetricReading, { unit }: MetricTraits): string {
  const plain = unit.replaceAll(/[{}]/g, '').replace(/^1$/, '')
  if (reading.as !== 'rate') return plain === 's' ? 'ms' : plain
  if (reading.of === 'distributions') return '1/s'
  return plain === '' ? '1/s' : `${plain}/s`
}

export function shownReading(value: number, reading: MetricReading, { unit }: MetricTraits): number {
  if (reading.as === 'rate') return roundedRate(value)
  return rounded(unit === 's' ? value * 1000 : value)
}
