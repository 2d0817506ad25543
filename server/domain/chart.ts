/** What a chart may show besides any stored metric, which it names as the metric is called. */
export const CHART_METRICS = [
  'latency_avg',
  'latency_p50',
  'latency_p95',
  'latency_p99',
  'error_rate',
  'throughput',
  'apdex',
  'log_count',
] as const
export type ChartMetric = (typeof CHART_METRICS)[number]

/** What is counted of requests rather than read from metrics or logs. */
export type RequestMetric = Exclude<ChartMetric, 'log_count'>

export const CHART_TYPES = ['line', 'area', 'bar'] as const
export type ChartType = (typeof CHART_TYPES)[number]

export interface ChartSettings {
  title: string
  chartType: ChartType
  /** Null for all services. */
  serviceName: string | null
  /** At least one: of `CHART_METRICS`, or names of stored metrics. */
  metrics: string[]
  /** Attributes and the values, as text, that they must have. */
  filter: Record<string, string>
  /** The attribute whose values are told apart; empty for none. */
  groupBy: string
  /** Null for that of the first metric. */
  unit: string | null
}

export interface Chart extends ChartSettings {
  id: string
  gridId: string
  createdAtMs: number
  updatedAtMs: number
}

export const CHART_LIMITS = {
  chartsPerGridMax: 500,
  titleCharsMax: 200,
  serviceNameCharsMax: 1024,
  metricsMax: 10,
  metricCharsMax: 255,
  filtersMax: 20,
  attributeCharsMax: 255,
  valueCharsMax: 1024,
  unitCharsMax: 63,
} as const

const UNITS: Record<ChartMetric, string> = {
  latency_avg: 'ms',
  latency_p50: 'ms',
  latency_p95: 'ms',
  latency_p99: 'ms',
  error_rate: '%',
  throughput: 'req/s',
  apdex: '',
  log_count: 'records',
}

export function isChartMetric(metric: string): metric is ChartMetric {
  return Object.hasOwn(UNITS, metric)
}

export function isRequestMetric(metric: string): metric is RequestMetric {
  return isChartMetric(metric) && metric !== 'log_count'
}

export function unitOfChartMetric(metric: ChartMetric): string {
  return UNITS[metric]
}
