import type { Signal } from '../../ingest/ingest.ts'
import { BYTES, tagOf, WireReader } from '../../ingest/otlp/wire-reader.ts'

/** The way down to what is counted: a field at each level, in JSON and in protobuf. */
const JSON_LEVELS: Record<Signal, readonly string[]> = {
  traces: ['scopeSpans', 'spans'],
  logs: ['scopeLogs', 'logRecords'],
  metrics: ['scopeMetrics', 'metrics'],
}
const POINT_KINDS = ['gauge', 'sum', 'histogram', 'exponentialHistogram', 'summary']

const RESOURCES_TO_RECORDS = [[1], [2], [2]]
const PROTOBUF_LEVELS: Record<Signal, readonly (readonly number[])[]> = {
  traces: RESOURCES_TO_RECORDS,
  logs: RESOURCES_TO_RECORDS,
  // A metric holds its data points in one of five kinds.
  metrics: [...RESOURCES_TO_RECORDS, [5, 7, 9, 10, 11], [1]],
}

/** How many spans, log records or data points are in the items of an export request. */
export function countInJson(items: unknown, signal: Signal): number {
  const records = JSON_LEVELS[signal].reduce(
    (level, field) => level.flatMap((item) => listIn(item, field)),
    listOf(items),
  )
  if (signal !== 'metrics') return records.length
  const points = records.flatMap((metric) => POINT_KINDS.flatMap((kind) => listIn(valueIn(metric, kind), 'dataPoints')))
  return points.length
}

/** Throws `MalformedRequest` where the bytes are not protobuf. */
export function countInProtobuf(message: Uint8Array, signal: Signal): number {
  return countBelow(new WireReader(message, 'the message'), PROTOBUF_LEVELS[signal])
}

function countBelow(reader: WireReader, [fields = [], ...deeper]: readonly (readonly number[])[]): number {
  let count = 0
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (!fields.some((field) => tag === tagOf(field, BYTES))) {
      reader.skipField(tag)
      continue
    }
    if (deeper.length === 0) {
      reader.skipField(tag)
      count++
      continue
    }
    const outer = reader.enter()
    count += countBelow(reader, deeper)
    reader.end = outer
  }
  return count
}

export function valueIn(item: unknown, field: string): unknown {
  return typeof item === 'object' && item !== null ? (item as Record<string, unknown>)[field] : undefined
}

function listIn(item: unknown, field: string): unknown[] {
  return listOf(valueIn(item, field))
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
