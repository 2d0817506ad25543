import type { Attributes } from '../../domain/attributes.ts'
import { type CallTarget, callTarget, NO_CALL_TARGET } from '../../domain/call-target.ts'
import { SpanColumns } from '../../domain/columns/span-columns.ts'
import {
  SPAN_KINDS,
  type Span,
  type SpanEvent,
  type SpanKind,
  type SpanLink,
  type SpanPlace,
  type SpanSummary,
  STATUS_ERROR,
  STATUS_OK,
  STATUS_UNSET,
  type TraceSpan,
} from '../../domain/span.ts'
import {
  attributesJson,
  keySetOf,
  type OriginLiteral,
  originFieldsOf,
  originIndexOf,
  pushText,
  setId,
  spanIdOf,
  traceIdOf,
} from './column-filling.ts'
import { atNs } from './test-time.ts'

/** A span in a test: what is left out is plain and the same for all. */
export interface SpanLiteral extends OriginLiteral {
  trace?: string
  id?: string
  parent?: string
  operation?: string
  kind?: SpanKind
  status?: keyof typeof STATUS_CODES
  /** After the base time. */
  atMs?: number
  /** Wins over `atMs`. */
  startNs?: bigint
  durationMs?: number
  /** Wins over `durationMs`. */
  durationNs?: bigint
  attributes?: Attributes
  events?: SpanEvent[]
  links?: SpanLink[]
  statusMessage?: string
  traceState?: string
  flags?: number
  droppedAttributes?: number
}

const STATUS_CODES = { UNSET: STATUS_UNSET, OK: STATUS_OK, ERROR: STATUS_ERROR } as const

/** What a store answers for this literal in a list. */
export function summaryOf(literal: SpanLiteral): SpanSummary {
  return {
    traceId: traceIdOf(literal.trace ?? '1'),
    spanId: spanIdOf(literal.id ?? '1'),
    parentSpanId: literal.parent === undefined ? '' : spanIdOf(literal.parent),
    serviceName: originFieldsOf(literal).serviceName,
    operationName: literal.operation ?? 'GET /',
    kind: literal.kind ?? 'INTERNAL',
    status: literal.status === 'ERROR' ? 'ERROR' : 'OK',
    startNs: literal.startNs ?? atNs(literal.atMs ?? 0),
    durationNs: literal.durationNs ?? BigInt(Math.round((literal.durationMs ?? 10) * 1e6)),
  }
}

/** What a store answers for this literal when it is asked for the whole span. */
export function spanOf(literal: SpanLiteral): Span {
  return {
    ...summaryOf(literal),
    ...originFieldsOf(literal),
    statusMessage: literal.statusMessage ?? '',
    traceState: literal.traceState ?? '',
    flags: literal.flags ?? 0,
    droppedAttributes: literal.droppedAttributes ?? 0,
    attributes: literal.attributes ?? {},
    events: literal.events ?? [],
    links: literal.links ?? [],
  }
}

export function placeOf(literal: SpanLiteral): SpanPlace {
  const { traceId, spanId, startNs } = summaryOf(literal)
  return { traceId, spanId, startNs }
}

/** What a store answers for this literal when it is asked for its trace. */
export function traceSpanOf(literal: SpanLiteral): TraceSpan {
  const { attributes, kind, resource } = spanOf(literal)
  return { ...summaryOf(literal), resource, called: calledBy(kind, attributes) }
}

function calledBy(kind: SpanKind, attributes: Attributes): CallTarget {
  return kind === 'CLIENT' || kind === 'PRODUCER' ? callTarget(attributes) : NO_CALL_TARGET
}

/** Adds the spans to `columns`, or to new ones. */
export function spanColumnsOf(literals: SpanLiteral[], columns = new SpanColumns()): SpanColumns {
  for (const literal of literals) pushSpan(columns, literal)
  return columns
}

function pushSpan(columns: SpanColumns, literal: SpanLiteral): void {
  columns.reserveRow()
  const row = columns.length
  const span = spanOf(literal)
  setId(columns.traceIds, row, span.traceId)
  setId(columns.spanIds, row, span.spanId)
  setId(columns.parentIds, row, spanIdOf(span.parentSpanId))
  columns.startNs[row] = span.startNs
  columns.durationNs[row] = span.durationNs
  columns.kinds[row] = SPAN_KINDS.lastIndexOf(span.kind)
  columns.statuses[row] = STATUS_CODES[literal.status ?? 'UNSET']
  columns.flags[row] = span.flags
  columns.droppedAttributes[row] = span.droppedAttributes
  columns.originIndexes[row] = originIndexOf(columns.origins, literal)
  columns.keySetHalves.set(keySetOf(span.attributes), row * 2)
  const { named, dependency } = calledBy(span.kind, span.attributes)
  pushText(columns.calledNames, named)
  pushText(columns.dependencies, dependency)
  const { 'messaging.operation.type': type, 'messaging.operation': operation } = span.attributes
  columns.receives[row] = span.kind === 'CONSUMER' && (type ?? operation) === 'receive' ? 1 : 0
  pushText(columns.operations, span.operationName)
  pushText(columns.statusMessages, span.statusMessage)
  pushText(columns.traceStates, span.traceState)
  pushText(columns.attributes, attributesJson(span.attributes))
  pushText(columns.events, span.events.length === 0 ? '' : JSON.stringify(span.events.map(eventOnTheWire)))
  pushText(columns.links, span.links.length === 0 ? '' : JSON.stringify(span.links))
  columns.length++
}

function eventOnTheWire({ name, timeNs, attributes }: SpanEvent): object {
  return { name, timeUnixNano: String(timeNs), attributes }
}
