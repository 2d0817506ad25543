import { isUtf8 } from 'node:buffer'
import type { LogColumns } from '../../../domain/columns/log-columns.ts'
import type { Origin } from '../../../domain/columns/origin.ts'
import type { SpanColumns } from '../../../domain/columns/span-columns.ts'
import type { TextColumn } from '../../../domain/columns/text-column.ts'

export interface SpanRow {
  traceId: string
  spanId: string
  parentId: string
  startNs: bigint
  durationNs: bigint
  kind: number
  status: number
  flags: number
  dropped: number
  operation: string
  statusMessage: string
  traceState: string
  attributes: string
  events: string
  links: string
  origin: Origin
}

export interface LogRow {
  id: string
  traceId: string
  spanId: string
  timeNs: bigint
  observedNs: bigint
  severityNumber: number
  severityText: string
  flags: number
  dropped: number
  body: string
  eventName: string
  attributes: string
  origin: Origin
}

/** The columns as rows, checked on the way for what a store relies on. */
export function spanRows(columns: SpanColumns): SpanRow[] {
  return Array.from({ length: columns.length }, (_, row) => ({
    traceId: hexOf(columns.traceIds, row, 16),
    spanId: hexOf(columns.spanIds, row, 8),
    parentId: hexOf(columns.parentIds, row, 8),
    startNs: columns.startNs[row] as bigint,
    durationNs: columns.durationNs[row] as bigint,
    kind: columns.kinds[row] as number,
    status: columns.statuses[row] as number,
    flags: columns.flags[row] as number,
    dropped: columns.droppedAttributes[row] as number,
    operation: textOf(columns.operations, row, columns.length),
    statusMessage: textOf(columns.statusMessages, row, columns.length),
    traceState: textOf(columns.traceStates, row, columns.length),
    attributes: jsonOf(columns.attributes, row, columns.length),
    events: jsonOf(columns.events, row, columns.length),
    links: jsonOf(columns.links, row, columns.length),
    origin: columns.origins[columns.originIndexes[row] as number] as Origin,
  }))
}

export function logRows(columns: LogColumns): LogRow[] {
  return Array.from({ length: columns.length }, (_, row) => ({
    id: hexOf(columns.ids, row, 16),
    traceId: hexOf(columns.traceIds, row, 16),
    spanId: hexOf(columns.spanIds, row, 8),
    timeNs: columns.timeNs[row] as bigint,
    observedNs: columns.observedNs[row] as bigint,
    severityNumber: columns.severityNumbers[row] as number,
    severityText: textOf(columns.severityTexts, row, columns.length),
    flags: columns.flags[row] as number,
    dropped: columns.droppedAttributes[row] as number,
    body: textOf(columns.bodies, row, columns.length),
    eventName: textOf(columns.eventNames, row, columns.length),
    attributes: jsonOf(columns.attributes, row, columns.length),
    origin: columns.origins[columns.originIndexes[row] as number] as Origin,
  }))
}

function hexOf(bytes: Uint8Array, row: number, size: number): string {
  return Buffer.from(bytes.subarray(row * size, row * size + size)).toString('hex')
}

function textOf(column: TextColumn, row: number, rows: number): string {
  if (column.length !== rows) throw new Error(`a text column has ${column.length} rows instead of ${rows}`)
  const bytes = column.bytes.subarray(column.startOf(row), column.endOf(row))
  if (!isUtf8(bytes)) throw new Error('a text column holds invalid UTF-8')
  if (bytes.includes(0)) throw new Error('a text column holds U+0000')
  return column.textOf(row)
}

function jsonOf(column: TextColumn, row: number, rows: number): string {
  const text = textOf(column, row, rows)
  if (text !== '') JSON.parse(text)
  return text
}
