import type { Span, SpanSummary } from '../../domain/span.ts'
import { ascending } from './ascending.ts'

/** Earliest first, ties by span id. */
export function byStart(a: SpanSummary, b: SpanSummary): number {
  return ascending(a.startNs, b.startNs) || ascending(a.spanId, b.spanId)
}

/** The spans of one trace, earliest first; of those that start at once parents come before children, then by span id. */
export function inTraceOrder(spans: Span[]): Span[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]))
  const depths = new Map(spans.map((span) => [span, depthAmongTies(span, byId)]))
  const depthOf = (span: Span) => depths.get(span) ?? 0
  return spans.toSorted(
    (a, b) => ascending(a.startNs, b.startNs) || ascending(depthOf(a), depthOf(b)) || ascending(a.spanId, b.spanId),
  )
}

/** How many ancestors in a row start at the same moment. Spans that are each other's ancestors are counted once. */
function depthAmongTies(span: Span, byId: Map<string, Span>): number {
  const seen = new Set([span])
  let parent = byId.get(span.parentSpanId)
  while (parent !== undefined && parent.startNs === span.startNs && !seen.has(parent)) {
    seen.add(parent)
    parent = byId.get(parent.parentSpanId)
  }
  return seen.size - 1
}

export function summaryOf(span: Span): SpanSummary {
  const { traceId, spanId, parentSpanId, serviceName, operationName, kind, status, startNs, durationNs } = span
  return { traceId, spanId, parentSpanId, serviceName, operationName, kind, status, startNs, durationNs }
}
