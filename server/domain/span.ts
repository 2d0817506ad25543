import type { Attributes } from './attributes.ts'

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
