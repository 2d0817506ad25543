import { enumWriter, SCALARS, type ScalarWriter } from './scalars.ts'

type FieldType = { scalar: ScalarWriter } | { message: Message }

export interface Field {
  number: number
  type: FieldType
  repeated: boolean
}

/** The fields that the decoder reads from a message, by their names in JSON. */
export type Message = Map<string, Field>

function scalar(number: number, type: keyof typeof SCALARS): Field {
  return { number, type: { scalar: SCALARS[type] }, repeated: false }
}

function scalars(number: number, type: keyof typeof SCALARS): Field {
  return { number, type: { scalar: SCALARS[type] }, repeated: true }
}

function one(number: number, message: Message): Field {
  return { number, type: { message }, repeated: false }
}

function many(number: number, message: Message): Field {
  return { number, type: { message }, repeated: true }
}

function choice(number: number, prefix: string, names: string[]): Field {
  return { number, type: { scalar: enumWriter(names.map((name) => prefix + name)) }, repeated: false }
}

function message(fields: Record<string, Field>): Message {
  return new Map(Object.entries(fields))
}

export const ANY_VALUE: Message = new Map()
const KEY_VALUE = message({ key: scalar(1, 'string'), value: one(2, ANY_VALUE) })
for (const [name, field] of Object.entries({
  stringValue: scalar(1, 'string'),
  boolValue: scalar(2, 'bool'),
  intValue: scalar(3, 'int64'),
  doubleValue: scalar(4, 'double'),
  arrayValue: one(5, message({ values: many(1, ANY_VALUE) })),
  kvlistValue: one(6, message({ values: many(1, KEY_VALUE) })),
  bytesValue: scalar(7, 'base64'),
})) {
  ANY_VALUE.set(name, field)
}

const RESOURCE = message({ attributes: many(1, KEY_VALUE) })
const SCOPE = message({ name: scalar(1, 'string'), version: scalar(2, 'string') })

/** The outer messages, whose field numbers are the same for every signal. */
function request(ofResource: string, ofScope: string, records: string, record: Message): Message {
  const perScope = message({ scope: one(1, SCOPE), [records]: many(2, record) })
  const perResource = message({ resource: one(1, RESOURCE), [ofScope]: many(2, perScope) })
  return message({ [ofResource]: many(1, perResource) })
}

const EVENT = message({
  timeUnixNano: scalar(1, 'fixed64'),
  name: scalar(2, 'string'),
  attributes: many(3, KEY_VALUE),
})
const LINK = message({ traceId: scalar(1, 'hex'), spanId: scalar(2, 'hex'), attributes: many(4, KEY_VALUE) })
const STATUS = message({
  message: scalar(2, 'string'),
  code: choice(3, 'STATUS_CODE_', ['UNSET', 'OK', 'ERROR']),
})
const SPAN = message({
  traceId: scalar(1, 'hex'),
  spanId: scalar(2, 'hex'),
  traceState: scalar(3, 'string'),
  parentSpanId: scalar(4, 'hex'),
  name: scalar(5, 'string'),
  kind: choice(6, 'SPAN_KIND_', ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER']),
  startTimeUnixNano: scalar(7, 'fixed64'),
  endTimeUnixNano: scalar(8, 'fixed64'),
  attributes: many(9, KEY_VALUE),
  droppedAttributesCount: scalar(10, 'uint32'),
  events: many(11, EVENT),
  links: many(13, LINK),
  status: one(15, STATUS),
  flags: scalar(16, 'fixed32'),
})
export const TRACES = request('resourceSpans', 'scopeSpans', 'spans', SPAN)

const SEVERITIES = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'].flatMap((name) => [
  name,
  `${name}2`,
  `${name}3`,
  `${name}4`,
])
const LOG_RECORD = message({
  timeUnixNano: scalar(1, 'fixed64'),
  severityNumber: choice(2, 'SEVERITY_NUMBER_', ['UNSPECIFIED', ...SEVERITIES]),
  severityText: scalar(3, 'string'),
  body: one(5, ANY_VALUE),
  attributes: many(6, KEY_VALUE),
  droppedAttributesCount: scalar(7, 'uint32'),
  flags: scalar(8, 'fixed32'),
  traceId: scalar(9, 'hex'),
  spanId: scalar(10, 'hex'),
  observedTimeUnixNano: scalar(11, 'fixed64'),
  eventName: scalar(12, 'string'),
})
export const LOGS = request('resourceLogs', 'scopeLogs', 'logRecords', LOG_RECORD)

const POINT_TIMES = { startTimeUnixNano: scalar(2, 'fixed64'), timeUnixNano: scalar(3, 'fixed64') }
const NUMBER_POINT = message({
  ...POINT_TIMES,
  asDouble: scalar(4, 'double'),
  asInt: scalar(6, 'sfixed64'),
  attributes: many(7, KEY_VALUE),
  flags: scalar(8, 'uint32'),
})
const HISTOGRAM_POINT = message({
  ...POINT_TIMES,
  count: scalar(4, 'fixed64'),
  sum: scalar(5, 'double'),
  bucketCounts: scalars(6, 'fixed64'),
  explicitBounds: scalars(7, 'double'),
  attributes: many(9, KEY_VALUE),
  flags: scalar(10, 'uint32'),
  min: scalar(11, 'double'),
  max: scalar(12, 'double'),
})
const BUCKETS = message({ offset: scalar(1, 'sint32'), bucketCounts: scalars(2, 'uint64') })
const EXPONENTIAL_POINT = message({
  ...POINT_TIMES,
  attributes: many(1, KEY_VALUE),
  count: scalar(4, 'fixed64'),
  sum: scalar(5, 'double'),
  scale: scalar(6, 'sint32'),
  zeroCount: scalar(7, 'fixed64'),
  positive: one(8, BUCKETS),
  negative: one(9, BUCKETS),
  flags: scalar(10, 'uint32'),
  min: scalar(12, 'double'),
  max: scalar(13, 'double'),
  zeroThreshold: scalar(14, 'double'),
})
const QUANTILE = message({ quantile: scalar(1, 'double'), value: scalar(2, 'double') })
const SUMMARY_POINT = message({
  ...POINT_TIMES,
  count: scalar(4, 'fixed64'),
  sum: scalar(5, 'double'),
  quantileValues: many(6, QUANTILE),
  attributes: many(7, KEY_VALUE),
  flags: scalar(8, 'uint32'),
})
const TEMPORALITY = choice(2, 'AGGREGATION_TEMPORALITY_', ['UNSPECIFIED', 'DELTA', 'CUMULATIVE'])
const METRIC = message({
  name: scalar(1, 'string'),
  description: scalar(2, 'string'),
  unit: scalar(3, 'string'),
  gauge: one(5, message({ dataPoints: many(1, NUMBER_POINT) })),
  sum: one(
    7,
    message({
      dataPoints: many(1, NUMBER_POINT),
      aggregationTemporality: TEMPORALITY,
      isMonotonic: scalar(3, 'bool'),
    }),
  ),
  histogram: one(9, message({ dataPoints: many(1, HISTOGRAM_POINT), aggregationTemporality: TEMPORALITY })),
  exponentialHistogram: one(
    10,
    message({ dataPoints: many(1, EXPONENTIAL_POINT), aggregationTemporality: TEMPORALITY }),
  ),
  summary: one(11, message({ dataPoints: many(1, SUMMARY_POINT) })),
})
export const METRICS = request('resourceMetrics', 'scopeMetrics', 'metrics', METRIC)
