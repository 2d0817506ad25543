import type { MetricPoint, MetricType, PointValue, Temporality } from '../../../domain/metric-point.ts'
import { expectedOrigin, objectText } from './expected-rows.ts'
import type {
  Buckets,
  ExponentialPoint,
  HistogramPoint,
  Metric,
  MetricsRequest,
  NumberPoint,
  PointBase,
  Resource,
  Scope,
  SummaryPoint,
} from './shapes.ts'

const TEMPORALITIES: Temporality[] = ['unspecified', 'delta', 'cumulative']

/** The points that a request within all limits must become, made the slow and obvious way. */
export function expectedPoints(request: MetricsRequest): MetricPoint[] {
  return (request.resourceMetrics ?? []).flatMap(({ resource, scopeMetrics = [] }) =>
    scopeMetrics.flatMap(({ scope, metrics = [] }) => metrics.flatMap((metric) => pointsOf(metric, resource, scope))),
  )
}

function pointsOf(metric: Metric, resource: Resource = {}, scope: Scope = {}): MetricPoint[] {
  const { gauge, sum, histogram, exponentialHistogram, summary } = metric
  const make = <T extends PointBase>(
    type: MetricType,
    data: { dataPoints?: T[]; aggregationTemporality?: number; isMonotonic?: boolean },
    read: (point: T) => PointValue | null,
  ) => (data.dataPoints ?? []).map((point) => pointOf(type, data, point, read(point)))
  const pointOf = (
    type: MetricType,
    data: { aggregationTemporality?: number; isMonotonic?: boolean },
    point: PointBase,
    value: PointValue | null,
  ): MetricPoint => {
    const { resourceJson, ...origin } = expectedOrigin(resource, scope)
    return {
      name: plain(metric.name),
      description: plain(metric.description),
      unit: plain(metric.unit),
      type,
      temporality: TEMPORALITIES[data.aggregationTemporality ?? 0] ?? 'unspecified',
      monotonic: data.isMonotonic ?? false,
      startNs: BigInt(point.startTimeUnixNano ?? 0),
      timeNs: BigInt(point.timeUnixNano ?? 0),
      flags: point.flags ?? 0,
      value: ((point.flags ?? 0) & 1) === 1 ? null : value,
      attributes: JSON.parse(objectText(point.attributes ?? [])),
      resource: JSON.parse(resourceJson),
      ...origin,
    }
  }
  if (gauge) return make('gauge', gauge, numberOf)
  if (sum) return make('sum', sum, numberOf)
  if (histogram) return make('histogram', histogram, histogramOf)
  if (exponentialHistogram) return make('exponential_histogram', exponentialHistogram, exponentialOf)
  return summary ? make('summary', summary, summaryOf) : []
}

function numberOf(point: NumberPoint): PointValue | null {
  if (point.asInt === undefined) return point.asDouble ?? null
  return Number.isSafeInteger(Number(point.asInt)) ? Number(point.asInt) : BigInt(point.asInt)
}

function histogramOf(point: HistogramPoint): PointValue {
  return {
    ...distributionOf(point),
    explicitBounds: point.explicitBounds ?? [],
    bucketCounts: (point.bucketCounts ?? []).map(Number),
  }
}

function exponentialOf(point: ExponentialPoint): PointValue {
  const bucketsOf = ({ offset = 0, bucketCounts = [] }: Buckets = {}) => ({ offset, counts: bucketCounts.map(Number) })
  return {
    ...distributionOf(point),
    scale: point.scale ?? 0,
    zeroCount: Number(point.zeroCount ?? 0),
    zeroThreshold: point.zeroThreshold ?? 0,
    positive: bucketsOf(point.positive),
    negative: bucketsOf(point.negative),
  }
}

function summaryOf(point: SummaryPoint): PointValue {
  const quantiles = (point.quantileValues ?? []).map(({ quantile = 0, value = 0 }) => ({ quantile, value }))
  return { count: Number(point.count ?? 0), sum: point.sum ?? 0, quantiles }
}

function distributionOf({ count, sum, min, max }: HistogramPoint) {
  return { count: Number(count ?? 0), sum: sum ?? null, min: min ?? null, max: max ?? null }
}

function plain(text = ''): string {
  return text.replaceAll('\0', '\ufffd')
}
