import type { Attributes } from './attributes.ts'
import type { CallTarget } from './call-target.ts'

/** Ordered as in OTLP, so that the wire's number is the index. */
export const SPAN_KINDS = ['INTERNAL', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'] as const
export type SpanKind = (typeof SPAN_KINDS)[number]

/** OTLP status codes as stored. */
export const STATUS_UNSET = 0
export const STATUS_OK = 1
export const STATUS_ERROR = 2

export type SpanStatus = 'OK' | 'ERROR'

export function spanKindOf(code: number): SpanKind {
  return SPAN_KINDS[code] ?? 'INTERNAL'
}

/** A span is an error only when its status says ERROR. */
export function spanStatusOf(code: number): SpanStatus {
  return code === STATUS_ERROR ? 'ERROR' : 'OK'
}

/** What lists of spans show. Ids are lower-case hex; `parentSpanId` is empty for a root. */
export interface SpanSummary {
  traceId: string
  spanId: string
  parentSpanId: string
  serviceName: string
  operationName: string
  kind: SpanKind
  status: SpanStatus
  startNs: bigint
  durationNs: bigint
}

export interface SpanEvent {
  name: string
  timeNs: bigint
  attributes: Attributes
}

export interface SpanLink {
  traceId: string
  spanId: string
  attributes: Attributes
}

/** Where a span is found. */
export type SpanPlace = Pick<SpanSummary, 'traceId' | 'spanId' | 'startNs'>

/** What a span was in its trace, without what it says of itself, which takes far longer to read. */
export interface TraceSpan extends SpanSummary {
  resource: Attributes
  /** Whom a CLIENT or PRODUCER span names; of other kinds no one. */
  called: CallTarget
}

/** A span whole, as it was sent. */
export interface Span extends SpanSummary {
  statusMessage: string
  traceState: string
  flags: number
  droppedAttributes: number
  attributes: Attributes
  events: SpanEvent[]
  links: SpanLink[]
  resource: Attributes
  scopeName: string
  scopeVersion: string
}

/** Duration in whole milliseconds, the form that answers show and that duration filters judge. */
export function durationMs(durationNs: bigint): number {
  return Number((durationNs + 500_000n) / 1_000_000n)
}
