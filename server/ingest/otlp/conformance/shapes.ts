/** OTLP messages as the oracle takes and gives them: as in JSON, but with bytes as bytes. */
export interface AnyValue {
  stringValue?: string
  boolValue?: boolean
  intValue?: string
  doubleValue?: number
  arrayValue?: { values?: AnyValue[] }
  kvlistValue?: { values?: KeyValue[] }
  bytesValue?: Uint8Array
}

export interface KeyValue {
  key?: string
  value?: AnyValue
}

export interface Resource {
  attributes?: KeyValue[]
}

export interface Scope {
  name?: string
  version?: string
}

export interface SpanEvent {
  timeUnixNano?: string
  name?: string
  attributes?: KeyValue[]
}

export interface SpanLink {
  traceId?: Uint8Array
  spanId?: Uint8Array
  attributes?: KeyValue[]
}

export interface Span {
  traceId?: Uint8Array
  spanId?: Uint8Array
  traceState?: string
  parentSpanId?: Uint8Array
  name?: string
  kind?: number
  startTimeUnixNano?: string
  endTimeUnixNano?: string
  attributes?: KeyValue[]
  droppedAttributesCount?: number
  events?: SpanEvent[]
  links?: SpanLink[]
  status?: { message?: string; code?: number }
  flags?: number
}

export interface TracesRequest {
  resourceSpans?: { resource?: Resource; scopeSpans?: { scope?: Scope; spans?: Span[] }[] }[]
}

export interface LogRecord {
  timeUnixNano?: string
  observedTimeUnixNano?: string
  severityNumber?: number
  severityText?: string
  body?: AnyValue
  attributes?: KeyValue[]
  droppedAttributesCount?: number
  flags?: number
  traceId?: Uint8Array
  spanId?: Uint8Array
  eventName?: string
}

export interface LogsRequest {
  resourceLogs?: { resource?: Resource; scopeLogs?: { scope?: Scope; logRecords?: LogRecord[] }[] }[]
}

export interface PointBase {
  attributes?: KeyValue[]
  startTimeUnixNano?: string
  timeUnixNano?: string
  flags?: number
}

export interface NumberPoint extends PointBase {
  asDouble?: number
  asInt?: string
}

export interface HistogramPoint extends PointBase {
  count?: string
  sum?: number
  min?: number
  max?: number
  bucketCounts?: string[]
  explicitBounds?: number[]
}

export interface Buckets {
  offset?: number
  bucketCounts?: string[]
}

export interface ExponentialPoint extends PointBase {
  count?: string
  sum?: number
  min?: number
  max?: number
  scale?: number
  zeroCount?: string
  zeroThreshold?: number
  positive?: Buckets
  negative?: Buckets
}

export interface SummaryPoint extends PointBase {
  count?: string
  sum?: number
  quantileValues?: { quantile?: number; value?: number }[]
}

export interface Metric {
  name?: string
  description?: string
  unit?: string
  gauge?: { dataPoints?: NumberPoint[] }
  sum?: { dataPoints?: NumberPoint[]; aggregationTemporality?: number; isMonotonic?: boolean }
  histogram?: { dataPoints?: HistogramPoint[]; aggregationTemporality?: number }
  exponentialHistogram?: { dataPoints?: ExponentialPoint[]; aggregationTemporality?: number }
  summary?: { dataPoints?: SummaryPoint[] }
}

export interface MetricsRequest {
  resourceMetrics?: { resource?: Resource; scopeMetrics?: { scope?: Scope; metrics?: Metric[] }[] }[]
}
