import { callTarget, NO_CALL_TARGET } from '../../domain/call-target.ts'
import type { Span, SpanPlace, TraceSpan } from '../../domain/span.ts'
import { NS_PER_HOUR, type TimeWindow } from '../../domain/time-window.ts'
import type { SampleFilter } from '../diagnostics-reader.ts'
import { ascending } from './ascending.ts'
import { fnv1a } from './fnv1a.ts'
import { startsIn } from './trace-search.ts'

/** A hash of the ids decides, so that the choice depends on nothing else about a span. */
export function sampleSpans(spans: Span[], window: TimeWindow, filter: SampleFilter, limit: number): Span[] {
  const lotOf = (span: Span) => fnv1a(span.traceId + span.spanId)
  return spans
    .filter((span) => startsIn(span, window) && matches(span, filter))
    .toSorted((a, b) => ascending(lotOf(a), lotOf(b)) || byId(a, b))
    .slice(0, limit)
}

export function spansOfTraces(spans: Span[], traceIds: string[], window: TimeWindow, limit: number): TraceSpan[] {
  const around = { startNs: window.startNs - NS_PER_HOUR, endNs: window.endNs + NS_PER_HOUR }
  return spans
    .filter((span) => traceIds.includes(span.traceId) && startsIn(span, around))
    .toSorted((a, b) => ascending(a.traceId, b.traceId) || ascending(a.startNs, b.startNs) || byId(a, b))
    .slice(0, limit)
    .map(traceSpanOf)
}

export function wholeSpans(spans: Span[], places: SpanPlace[]): Span[] {
  const keyOf = ({ traceId, spanId, startNs }: SpanPlace) => `${traceId} ${spanId} ${startNs}`
  const asked = new Set(places.map(keyOf))
  return spans.filter((span) => asked.has(keyOf(span)))
}

function traceSpanOf(span: Span): TraceSpan {
  const { traceId, spanId, parentSpanId, serviceName, operationName, kind, status, startNs, durationNs } = span
  const isCall = kind === 'CLIENT' || kind === 'PRODUCER'
  return {
    ...{ traceId, spanId, parentSpanId, serviceName, operationName, kind, status, startNs, durationNs },
    resource: span.resource,
    called: isCall ? callTarget(span.attributes) : NO_CALL_TARGET,
  }
}

function matches(span: Span, filter: SampleFilter): boolean {
  return (
    isOrAny(filter.serviceName, span.serviceName) &&
    isOrAny(filter.operationName, span.operationName) &&
    isOrAny(filter.kind, span.kind) &&
    isOrAny(filter.status, span.status) &&
    (filter.minDurationNs === undefined || span.durationNs >= filter.minDurationNs) &&
    (filter.maxDurationNs === undefined || span.durationNs <= filter.maxDurationNs)
  )
}

function isOrAny(asked: string | undefined, value: string): boolean {
  return asked === undefined || asked === value
}

function byId(a: Span, b: Span): number {
  return ascending(a.traceId, b.traceId) || ascending(a.spanId, b.spanId)
}
