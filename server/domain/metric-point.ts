import type { Attributes } from './attributes.ts'

export type MetricType = 'gauge' | 'sum' | 'histogram' | 'exponential_histogram' | 'summary'
export type Temporality = 'unspecified' | 'delta' | 'cumulative'

export interface HistogramValue {
  count: number
  sum: number | null
  min: number | null
  max: number | null
  explicitBounds: number[]
  bucketCounts: number[]
}

export interface ExponentialBuckets {
  offset: number
  counts: number[]
}

export interface ExponentialHistogramValue {
  count: number
  sum: number | null
  min: number | null
  max: number | null
  scale: number
  zeroCount: number
  zeroThreshold: number
  positive: ExponentialBuckets
  negative: ExponentialBuckets
}

export interface SummaryValue {
  count: number
  sum: number
  quantiles: { quantile: number; value: number }[]
}

/** One number, or one distribution, by the metric's type. An integer beyond 2^53 is a bigint. */
export type PointValue = number | bigint | HistogramValue | ExponentialHistogramValue | SummaryValue

export interface MetricPoint {
  name: string
  description: string
  unit: string
  type: MetricType
  temporality: Temporality
  monotonic: boolean
  startNs: bigint
  timeNs: bigint
  flags: number
  /** Null where the sender said that it recorded no value. */
  value: PointValue | null
  attributes: Attributes
  serviceName: string
  resource: Attributes
  scopeName: string
  scopeVersion: string
}
