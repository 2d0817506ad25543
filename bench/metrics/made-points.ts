import type { MetricPoint, PointValue } from '../../server/domain/metric-point.ts'

/** How many series have the same name: so many hosts. */
export const SERIES_PER_NAME = 100
const SERVICES = 20
const NS_PER_SECOND = 1_000_000_000n

/** Names in turn: five gauges, four counters and a histogram. */
export function metricName(no: number): string {
  return `measured.${String(no).padStart(3, '0')}`
}

export const GAUGE = metricName(0)
export const COUNTER = metricName(5)
export const HISTOGRAM = metricName(9)

/** The points of all series at one moment, a few seconds apart from each other. */
export function madePoints(series: number, atSecond: number, startSecond: number): MetricPoint[] {
  return Array.from({ length: series }, (_, i) => {
    const [no, host] = [Math.floor(i / SERIES_PER_NAME), i % SERIES_PER_NAME]
    const kind = no % 10 < 5 ? 'gauge' : no % 10 < 9 ? 'sum' : 'histogram'
    const jitterNs = BigInt((i * 7919 + atSecond) % 9973) * 1_000_000n
    const serviceName = `service-${host % SERVICES}`
    return {
      name: metricName(no),
      ...{ description: 'Something that a benchmark measures', unit: kind === 'histogram' ? 'ms' : 'By', type: kind },
      temporality: kind === 'gauge' ? 'unspecified' : 'cumulative',
      monotonic: kind === 'sum',
      startNs: kind === 'gauge' ? 0n : BigInt(startSecond) * NS_PER_SECOND,
      timeNs: BigInt(atSecond) * NS_PER_SECOND + jitterNs,
      flags: 0,
      value: valueAt(kind, i, atSecond - startSecond),
      attributes: { state: 'used' },
      serviceName,
      resource: { 'service.name': serviceName, 'host.name': `host-${host}`, 'k8s.namespace.name': 'shop' },
      ...{ scopeName: 'benchmark', scopeVersion: '1.0' },
    }
  })
}

function valueAt(kind: 'gauge' | 'sum' | 'histogram', i: number, elapsed: number): PointValue {
  const wave = Math.sin((elapsed + i * 977) / 7200)
  if (kind === 'gauge') return 5e8 + wave * 4e8 * Math.abs(Math.sin(elapsed * 12.9898 + i))
  const total = Math.floor((elapsed * (10 + (i % 90))) / 3 + wave * 100) + 1000
  if (kind === 'sum') return total
  const shares = [0.02, 0.05, 0.13, 0.3, 0.25, 0.15, 0.06, 0.03, 0.01]
  const bucketCounts = shares.map((share) => Math.floor(total * share))
  const count = bucketCounts.reduce((sum, each) => sum + each, 0)
  const explicitBounds = [5, 10, 25, 50, 100, 250, 500, 1000]
  return { count, sum: count * 61.5, min: null, max: null, explicitBounds, bucketCounts }
}
