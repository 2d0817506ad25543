import type { MetricType, Temporality } from '../domain/metric-point.ts'
import type { TimeWindow } from '../domain/time-window.ts'
import type { RequestSums } from './diagnostics-reader.ts'

/**
 * What of a signal a chart shows, over time. Attributes are those of the record or, where it has no such one, of its resource;
 * and values are compared as text.
 */
export interface StepQuestion {
  window: TimeWindow
  /** How many minutes make one step: a part of an hour without a rest, or whole hours. Steps are counted from the epoch. */
  stepMinutes: number
  serviceName?: string
  /** Attributes and the values that they must have. */
  filter: Record<string, string>
  /** The attribute whose values are told apart; empty for none. */
  groupBy: string
}

/** Attributes that records have by their nature, besides those that they were sent with. */
export const SERVICE_NAME = 'service.name'
export const SPAN_NAME = 'span.name'
export const SPAN_KIND = 'span.kind'
export const SEVERITY = 'severity'

export interface RequestStepQuestion extends StepQuestion {
  /** Whether percentiles are asked for; they are the dearest part. */
  percentiles: boolean
}

interface Step {
  /** The value of the attribute that is told apart; empty where there is none. */
  group: string
  /** The start of the step, which may lie before that of the window. */
  stepNs: bigint
}

/** Requests of a group that began in a step: at least one. Percentiles are within 1 %, and 0 where they were not asked for. */
export interface RequestStep extends Step, RequestSums {
  p50Ms: number
  p95Ms: number
  p99Ms: number
}

export interface LogStep extends Step {
  recordCount: number
}

/** What is known of a metric by its newest point in a window. */
export interface MetricTraits {
  unit: string
  type: MetricType
  temporality: Temporality
  monotonic: boolean
  /** The usual time between two points of a series, judged by the newest hour with points, and an hour at most. */
  intervalNs: bigint
}

/**
 * What is made of the points of a group in a step. Of numbers: the `average`, `least` or `greatest` of all points; the `total`
 * of what each series is on average; or the `rate`, how much all series together grow in a second, where a sum that begins
 * anew has grown from 0. Of distributions: the `mean` of what was recorded in the step, a `percentile` of it, or the `rate`
 * of recording.
 */
export type MetricReading =
  | { of: 'numbers'; as: 'average' | 'least' | 'greatest' | 'total' | 'rate' }
  | { of: 'distributions'; as: 'mean' | 'rate' }
  | { of: 'distributions'; as: 'percentile'; percent: number }

export interface MetricStepQuestion extends StepQuestion {
  name: string
  reading: MetricReading
}

export interface MetricStep extends Step {
  value: number
}

/** Growth is known from the point before: so far before the window points are looked at. */
export const LOOKED_BACK_NS = 600_000_000_000n

/** What charts ask about one Grid. The promises of `TelemetryReader` hold here too. */
export interface ChartReader {
  /** In no particular order. */
  requestSteps(question: RequestStepQuestion): Promise<RequestStep[]>
  /** In no particular order. */
  logSteps(question: StepQuestion): Promise<LogStep[]>
  /** Undefined where the metric has no points in the window. */
  metricTraits(name: string, window: TimeWindow): Promise<MetricTraits | undefined>
  /** In no particular order. */
  metricSteps(question: MetricStepQuestion): Promise<MetricStep[]>
}
