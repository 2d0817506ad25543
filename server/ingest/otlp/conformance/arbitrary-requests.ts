import fc from 'fast-check'
import type { AnyValue, Buckets, KeyValue, LogsRequest, MetricsRequest, PointBase, TracesRequest } from './shapes.ts'
import { NOW_NS } from './small-requests.ts'

/** Ordinary text, text with what JSON escapes, and any characters that Unicode has. */
const text = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme-ascii', maxLength: 20 }) },
  fc.string({
    unit: fc.constantFrom('"', '\\', '\n', '\0', '\x1f', '\x7f', '\u2028', 'é', '漢', '😀', 'a'),
    maxLength: 12,
  }),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom('', '__proto__', 'constructor', '1', 'service.name'),
)

const int64 = fc
  .oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.constantFrom(0n, 2n ** 53n - 1n, 2n ** 53n, -(2n ** 53n) + 1n, -(2n ** 53n), 10n ** 9n, 2n ** 32n),
    fc.bigInt({ min: -1000n, max: 100_000n }),
  )
  .map(String)
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String)
const count = fc.nat({ max: 2 ** 31 - 1 }).map(String)
const double = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(0.1, 1e21, 1e-7, 5e-324, Number.MAX_VALUE))
const bytes = fc.uint8Array({ maxLength: 20 })

const { keyValue, value } = fc.letrec<{ value: AnyValue; keyValue: KeyValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text.map((stringValue) => ({ stringValue })),
    fc.boolean().map((boolValue) => ({ boolValue })),
    int64.map((intValue) => ({ intValue })),
    double.map((doubleValue) => ({ doubleValue })),
    bytes.map((bytesValue) => ({ bytesValue })),
    fc.constant({}),
    fc.array(tie('value'), { maxLength: 4 }).map((values) => ({ arrayValue: { values } })),
    fc.array(tie('keyValue'), { maxLength: 4 }).map((values) => ({ kvlistValue: { values } })),
  ),
  keyValue: fc.record({ key: text, value: tie('value') }, { requiredKeys: [] }),
}))

const attributes = fc.array(keyValue, { maxLength: 6 })
const resource = fc.record(
  {
    attributes: fc
      .tuple(fc.array(keyValue, { maxLength: 3 }), fc.option(text))
      .map(([others, name]) => [...others, ...(name === null ? [] : [serviceName(name)])]),
    future: text,
  },
  { requiredKeys: [] },
)
const scope = fc.record({ name: text, version: text, attributes }, { requiredKeys: [] })

function serviceName(name: string): KeyValue {
  return { key: 'service.name', value: { stringValue: name } }
}

function id(length: number): fc.Arbitrary<Uint8Array> {
  return fc.uint8Array({ minLength: length, maxLength: length }).map((id) => (id.some(Boolean) ? id : id.fill(1)))
}

/** Ids that may be absent, and may be of any length. */
function looseId(length: number): fc.Arbitrary<Uint8Array> {
  return fc.oneof({ weight: 4, arbitrary: id(length) }, bytes, fc.constant(new Uint8Array(length)))
}

const offsetNs = fc.bigInt({ min: -86_400_000_000_000n, max: 1_000_000_000_000n })
const timeNs = offsetNs.map((offset) => String(NOW_NS + offset))

const event = fc.record({ timeUnixNano: uint64, name: text, attributes }, { requiredKeys: [] })
const link = fc.record(
  { traceId: looseId(16), spanId: looseId(8), attributes, traceState: text, flags: fc.nat() },
  { requiredKeys: [] },
)
const span = fc
  .tuple(
    fc.record({ traceId: id(16), spanId: id(8), startTimeUnixNano: timeNs }),
    fc.bigInt({ min: -60_000_000_000n, max: 2_000_000_000_000n }),
    fc.record(
      {
        parentSpanId: looseId(8),
        traceState: text,
        name: text,
        kind: fc.integer({ min: -1, max: 7 }),
        attributes,
        droppedAttributesCount: fc.nat(),
        events: fc.array(event, { maxLength: 3 }),
        links: fc.array(link, { maxLength: 3 }),
        status: fc.record({ message: text, code: fc.integer({ min: -1, max: 4 }) }, { requiredKeys: [] }),
        flags: fc.nat({ max: 2 ** 32 - 1 }),
        droppedEventsCount: fc.nat(),
        future: fc.array(text, { maxLength: 2 }),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([known, lengthNs, rest]) => ({
    ...known,
    ...rest,
    endTimeUnixNano: String(BigInt(known.startTimeUnixNano) + lengthNs),
  }))

function list<T>(items: fc.Arbitrary<T>): fc.Arbitrary<T[]> {
  return fc.array(items, { maxLength: 3 })
}

function optional<T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<Partial<T>> {
  return fc.record(model, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>
}

export const tracesRequest: fc.Arbitrary<TracesRequest> = optional({
  resourceSpans: list(
    optional({ resource, scopeSpans: list(optional({ scope, spans: list(span), schemaUrl: text })) }),
  ),
})

const logRecord = optional({
  timeUnixNano: timeNs,
  observedTimeUnixNano: timeNs,
  severityNumber: fc.integer({ min: -1, max: 30 }),
  severityText: text,
  body: value,
  attributes,
  droppedAttributesCount: fc.nat(),
  flags: fc.nat({ max: 2 ** 32 - 1 }),
  traceId: looseId(16),
  spanId: looseId(8),
  eventName: text,
  future: double,
})

export const logsRequest: fc.Arbitrary<LogsRequest> = optional({
  resourceLogs: list(optional({ resource, scopeLogs: list(optional({ scope, logRecords: list(logRecord) })) })),
})

function point<T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<PointBase & Partial<T>> {
  return fc
    .tuple(
      fc.record({ timeUnixNano: timeNs }),
      optional({ attributes, startTimeUnixNano: timeNs, flags: fc.integer({ min: 0, max: 3 }) }),
      optional(model),
    )
    .map(([time, base, own]) => ({ ...time, ...base, ...own }))
}

const aggregationTemporality = fc.integer({ min: 0, max: 3 })
const numberPoint = fc.oneof(point({ asDouble: double }), point({ asInt: int64 }))
const distribution = { count, sum: double, min: double, max: double }
const buckets: fc.Arbitrary<Buckets> = optional({
  offset: fc.integer(),
  bucketCounts: fc.array(count, { maxLength: 5 }),
})
const data = fc.oneof(
  optional({ dataPoints: list(numberPoint) }).map((gauge) => ({ gauge })),
  optional({ dataPoints: list(numberPoint), aggregationTemporality, isMonotonic: fc.boolean() }).map((sum) => ({
    sum,
  })),
  optional({
    dataPoints: list(
      point({
        ...distribution,
        bucketCounts: fc.array(count, { maxLength: 5 }),
        explicitBounds: fc.array(double, { maxLength: 5 }),
      }),
    ),
    aggregationTemporality,
  }).map((histogram) => ({ histogram })),
  optional({
    dataPoints: list(
      point({
        ...distribution,
        scale: fc.integer(),
        zeroCount: count,
        zeroThreshold: double,
        positive: buckets,
        negative: buckets,
      }),
    ),
    aggregationTemporality,
  }).map((exponentialHistogram) => ({ exponentialHistogram })),
  optional({
    dataPoints: list(
      point({
        count,
        sum: double,
        quantileValues: fc.array(optional({ quantile: double, value: double }), { maxLength: 3 }),
      }),
    ),
  }).map((summary) => ({ summary })),
  fc.constant({}),
)
const metric = fc
  .tuple(text, optional({ description: text, unit: text }), data)
  .map(([name, rest, data]) => ({ name: name === '' ? 'm' : name, ...rest, ...data }))

export const metricsRequest: fc.Arbitrary<MetricsRequest> = optional({
  resourceMetrics: list(optional({ resource, scopeMetrics: list(optional({ scope, metrics: list(metric) })) })),
})
