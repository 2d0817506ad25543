import type { DuckDBDataChunk } from '@duckdb/node-api'
import duckdb from '@duckdb/node-bindings'
import type { Attributes, AttributeValue } from '../../domain/attributes.ts'
import { FAILURE_ATTRIBUTES, type FailedSpan } from '../../domain/failed-span.ts'
import { type SpanEvent, spanKindOf } from '../../domain/span.ts'
import { StoreUnavailable } from '../../domain/store-errors.ts'
import { hexColumn } from './hex-columns.ts'
import { ANSWER_TEXT_MAX } from './session.ts'

const NOTHING: never[] = []
/** As questions select them, after the trace: span and parent, start and duration, kind; what tells of the failure; and names. */
const [SPAN, PARENT, START, DURATION, KIND, MESSAGE, EXCEPTIONS, ATTRIBUTES, SERVICE, OPERATION] = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
]
const NO_PARENT = '0'.repeat(16)

/** What a chunk says in another way, wherever it comes from. */
interface Reading {
  traceIds: string[]
  attributesOf(cell: unknown): Attributes
  /** Is told what the chunk says of a row's service and operation, and names them. */
  name(row: FailedSpan, service: unknown, operation: unknown): void
}

/** Failed spans as they are read, a chunk at a time. Many are told in the same words: each text is read once. */
export class FailedRows {
  private readonly rows: FailedSpan[] = []
  private readonly attributes = new Map<string, Attributes>()
  private textLength = 0

  get size(): number {
    return this.rows.length
  }

  add(chunk: DuckDBDataChunk, { traceIds, attributesOf, name }: Reading): void {
    const [spans, parents] = [idColumn(chunk, SPAN, 8), idColumn(chunk, PARENT, 8)]
    const values = (column: number) => chunk.getColumnValues(column)
    const [starts, durations, kinds] = [values(START), values(DURATION), values(KIND)]
    const [messages, exceptions] = [this.textsOf(chunk, MESSAGE), this.textsOf(chunk, EXCEPTIONS)]
    const [attributes, services, operations] = [values(ATTRIBUTES), values(SERVICE), values(OPERATION)]
    for (let i = 0; i < chunk.rowCount; i++) {
      const parent = parents[i] as string
      const row: FailedSpan = {
        traceId: traceIds[i] as string,
        spanId: spans[i] as string,
        parentSpanId: parent === NO_PARENT ? '' : parent,
        serviceName: '',
        operationName: '',
        kind: spanKindOf(kinds[i] as number),
        status: 'ERROR',
        startNs: starts[i] as bigint,
        durationNs: durations[i] as bigint,
        statusMessage: messages[i] as string,
        attributes: attributesOf(attributes[i]),
        events: exceptionsOf(exceptions[i] as string),
      }
      name(row, services[i], operations[i])
      this.rows.push(row)
    }
  }

  /** Newest first, by their ids where they began at the same moment. */
  newest(limit: number): FailedSpan[] {
    return this.rows.sort(newestFirst).slice(0, limit)
  }

  /** Texts are counted: an answer must not be too large. */
  textsOf(chunk: DuckDBDataChunk, column: number): string[] {
    const texts = chunk.getColumnValues(column) as string[]
    for (const text of texts) this.textLength += text.length
    if (this.textLength > ANSWER_TEXT_MAX) throw new StoreUnavailable('the answer is too large: ask for less')
    return texts
  }

  attributesOf(json: string): Attributes {
    const known = this.attributes.get(json)
    if (known) return known
    const values = json === '' ? [] : (JSON.parse(json) as (AttributeValue | null)[])
    const told = Object.fromEntries(values.flatMap((value, i) => entryOf(FAILURE_ATTRIBUTES[i], value)))
    this.attributes.set(json, told)
    return told
  }
}

export function idColumn(chunk: DuckDBDataChunk, column: number, bytes: number): string[] {
  const vector = duckdb.data_chunk_get_vector(chunk.chunk, column)
  return hexColumn(duckdb.vector_get_data(vector, chunk.rowCount * bytes), bytes)
}

function newestFirst(a: FailedSpan, b: FailedSpan): number {
  if (a.startNs !== b.startNs) return a.startNs > b.startNs ? -1 : 1
  return ascending(a.traceId, b.traceId) || ascending(a.spanId, b.spanId)
}

function ascending(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function exceptionsOf(json: string): SpanEvent[] {
  if (json === '') return NOTHING
  const events = JSON.parse(json) as { time: string; type: AttributeValue | null; message: AttributeValue | null }[]
  return events.map(({ time, type, message }) => ({
    name: 'exception',
    timeNs: BigInt(time),
    attributes: Object.fromEntries([...entryOf('exception.type', type), ...entryOf('exception.message', message)]),
  }))
}

function entryOf(key: string | undefined, value: AttributeValue | null): [string, AttributeValue][] {
  return key === undefined || value === null ? [] : [[key, value]]
}
