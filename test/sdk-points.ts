import { DataPointType, type MetricData, type ResourceMetrics } from '@opentelemetry/sdk-metrics'
import type { MetricPoint, MetricType, PointValue } from '../server/domain/metric-point.ts'
import { nsOf, storedAttributes } from './sdk-telemetry.ts'

/** What the SDK says it has exported, in the store's words. */
export function pointsOf(
  exported: ResourceMetrics[],
): Omit<MetricPoint, 'serviceName' | 'resource' | 'scopeName' | 'scopeVersion'>[] {
  const metrics = exported.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
  return metrics.flatMap((metric) =>
    metric.dataPoints.map((point) => ({
      name: metric.descriptor.name,
      description: metric.descriptor.description,
      unit: metric.descriptor.unit,
      type: TYPES[metric.dataPointType],
      temporality: metric.dataPointType === DataPointType.GAUGE ? 'unspecified' : 'cumulative',
      monotonic: metric.dataPointType === DataPointType.SUM && metric.isMonotonic,
      startNs: nsOf(point.startTime),
      timeNs: nsOf(point.endTime),
      flags: 0,
      value: pointValue(point.value),
      attributes: storedAttributes(point.attributes),
    })),
  )
}

const TYPES: Record<DataPointType, MetricType> = {
  [DataPointType.GAUGE]: 'gauge',
  [DataPointType.SUM]: 'sum',
  [DataPointType.HISTOGRAM]: 'histogram',
  [DataPointType.EXPONENTIAL_HISTOGRAM]: 'exponential_histogram',
}

function pointValue(value: MetricData['dataPoints'][number]['value']): PointValue {
  if (typeof value === 'number') return Number.isSafeInteger(value) || value % 1 ? value : BigInt(value)
  const { count, sum = null, min = null, max = null } = value
  if ('buckets' in value) {
    const { boundaries, counts } = value.buckets
    return { count, sum, min, max, explicitBounds: boundaries, bucketCounts: counts }
  }
  const { scale, zeroCount, positive, negative } = value
  const buckets = ({ offset, bucketCounts }: typeof positive) => ({ offset, counts: bucketCounts })
  const distribution = { scale, zeroCount, zeroThreshold: 0, positive: buckets(positive), negative: buckets(negative) }
  return { count, sum, min, max, ...distribution }
}
