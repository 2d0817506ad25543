import type { KeyValue, LogRecord, LogsRequest, Metric, MetricsRequest, Span, TracesRequest } from './shapes.ts'

export const NOW_NS = 1_750_000_000_123_456_789n
export const LIMITS = {
  oldestNs: NOW_NS - 7n * 86_400_000_000_000n,
  newestNs: NOW_NS + 3_600_000_000_000n,
  nowNs: NOW_NS,
}
export const SECOND_NS = 1_000_000_000n

/** A span that can be stored, but for what the test says of it. */
export function span(over: Span = {}): Span {
  return {
    traceId: new Uint8Array(16).fill(1),
    spanId: new Uint8Array(8).fill(2),
    name: 'GET /',
    startTimeUnixNano: String(NOW_NS - SECOND_NS),
    endTimeUnixNano: String(NOW_NS),
    ...over,
  }
}

export function traces(...spans: Span[]): TracesRequest {
  return { resourceSpans: [{ resource: { attributes: [service('shop')] }, scopeSpans: [{ spans }] }] }
}

export function logs(...logRecords: LogRecord[]): LogsRequest {
  return { resourceLogs: [{ resource: { attributes: [service('shop')] }, scopeLogs: [{ logRecords }] }] }
}

export function metrics(...metrics: Metric[]): MetricsRequest {
  return { resourceMetrics: [{ resource: { attributes: [service('shop')] }, scopeMetrics: [{ metrics }] }] }
}

export function service(name: string): KeyValue {
  return attribute('service.name', name)
}

export function attribute(key: string, stringValue: string): KeyValue {
  return { key, value: { stringValue } }
}

/** One of every kind of field, for tests that break a request in every place. */
export const RICH_TRACES = traces(
  span({
    parentSpanId: new Uint8Array(8).fill(3),
    traceState: 'a=b',
    kind: 2,
    flags: 257,
    droppedAttributesCount: 1,
    status: { code: 2, message: 'naïve "quote"' },
    attributes: [
      attribute('s', 'é\n😀'),
      { key: 'i', value: { intValue: '-9223372036854775808' } },
      { key: 'd', value: { doubleValue: 0.1 } },
      { key: 'b', value: { boolValue: true } },
      { key: 'x', value: { bytesValue: Uint8Array.of(1, 2) } },
      { key: 'a', value: { arrayValue: { values: [{ stringValue: 'v' }, {}] } } },
      { key: 'm', value: { kvlistValue: { values: [attribute('k', 'v')] } } },
    ],
    events: [{ name: 'exception', timeUnixNano: '1', attributes: [attribute('k', 'v')] }],
    links: [
      { traceId: new Uint8Array(16).fill(4), spanId: new Uint8Array(8).fill(5), attributes: [attribute('k', 'v')] },
    ],
  }),
)

export const RICH_LOGS = logs({
  timeUnixNano: String(NOW_NS),
  observedTimeUnixNano: String(LIMITS.oldestNs),
  severityNumber: 9,
  severityText: 'INFO',
  body: { kvlistValue: { values: [attribute('k', 'v\0')] } },
  attributes: [attribute('k', 'é')],
  droppedAttributesCount: 300,
  flags: 1,
  traceId: new Uint8Array(16).fill(1),
  spanId: new Uint8Array(8).fill(2),
  eventName: 'e',
})

const timeUnixNano = String(NOW_NS)
export const RICH_METRICS = metrics(
  { name: 'g', unit: 's', description: 'd', gauge: { dataPoints: [{ timeUnixNano, asInt: '-1' }] } },
  { name: 's', sum: { dataPoints: [{ timeUnixNano, asDouble: 1.5 }], aggregationTemporality: 2, isMonotonic: true } },
  {
    name: 'h',
    histogram: {
      dataPoints: [{ timeUnixNano, count: '3', sum: 4, bucketCounts: ['1', '2'], explicitBounds: [5] }],
      aggregationTemporality: 1,
    },
  },
  {
    name: 'e',
    exponentialHistogram: {
      dataPoints: [{ timeUnixNano, count: '3', scale: -1, positive: { offset: 2, bucketCounts: ['1', '300'] } }],
    },
  },
  { name: 'q', summary: { dataPoints: [{ timeUnixNano, quantileValues: [{ quantile: 0.5, value: 2 }] }] } },
)
