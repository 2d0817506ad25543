import type { Span } from '../../domain/span.ts'
import { NS_PER_HOUR, type TimeWindow } from '../../domain/time-window.ts'
import { type GridRows, spanKey } from './grid-rows.ts'
import { startsIn } from './trace-search.ts'

type Spans = GridRows['spans']

/** The requests of every service that began in the window. */
export function requestSpans(spans: Spans, window: TimeWindow): Span[] {
  const entryServices = servicesOf(recentSpans(spans, window).filter(isEntry))
  return [...spans.values()].filter(
    (span) => startsIn(span, window) && isRequest(span, parentOf(span, spans), entryServices),
  )
}

/** The services that sent a span in the 24 hours before the window ends. */
export function knownServices(spans: Spans, window: TimeWindow): Set<string> {
  return servicesOf(recentSpans(spans, window))
}

function recentSpans(spans: Spans, { endNs }: TimeWindow): Span[] {
  return [...spans.values()].filter((span) => startsIn(span, { startNs: endNs - 24n * NS_PER_HOUR, endNs }))
}

function servicesOf(spans: Span[]): Set<string> {
  return new Set(spans.map((span) => span.serviceName))
}

function parentOf(span: Span, spans: Spans): Span | undefined {
  return spans.get(spanKey(span.traceId, span.parentSpanId))
}

/** A service that was asked nothing by others lately is judged by its local roots. */
function isRequest(span: Span, parent: Span | undefined, entryServices: Set<string>): boolean {
  const sameService = parent?.serviceName === span.serviceName
  if (!entryServices.has(span.serviceName)) return !sameService
  const nested = parent !== undefined && sameService && isEntry(parent)
  return isEntry(span) && !nested && !isReceive(span)
}

function isEntry(span: Span): boolean {
  return span.kind === 'SERVER' || span.kind === 'CONSUMER'
}

function isReceive({ kind, attributes }: Span): boolean {
  const operation = attributes['messaging.operation.type'] ?? attributes['messaging.operation']
  return kind === 'CONSUMER' && operation === 'receive'
}
