import type { AttributeValue } from '../../domain/attributes.ts'
import { durationMs, type Span } from '../../domain/span.ts'
import type { TimeWindow } from '../../domain/time-window.ts'
import type { TraceFilter, TracePage } from '../telemetry-store.ts'
import { ascending } from './ascending.ts'
import { groupedBy } from './grouped-by.ts'
import { byStart, summaryOf } from './trace-order.ts'

export function searchTraces(spans: Span[], filter: TraceFilter): TracePage {
  const matching = spans.filter((span) => matches(span, filter))
  const traces = groupedBy(matching, (span) => span.traceId)
  const items = [...traces.values()].map((trace) => itemOf(trace, filter))
  const newestFirst = items.toSorted((a, b) => ascending(b.startNs, a.startNs) || ascending(a.traceId, b.traceId))
  return {
    items: newestFirst.slice(filter.offset, filter.offset + filter.limit).map(summaryOf),
    totalCount: items.length,
  }
}

/** `matching` are the spans of one trace that match, at least one. */
function itemOf(matching: Span[], filter: TraceFilter): Span {
  const sorted = matching.toSorted(byStart)
  const root = sorted.find((span) => span.parentSpanId === '')
  return asksOnlyForWindow(filter) && root !== undefined ? root : (sorted[0] as Span)
}

function asksOnlyForWindow({ window, offset, limit, tags = {}, ...rest }: TraceFilter): boolean {
  return Object.keys(tags).length === 0 && Object.values(rest).every((asked) => asked === undefined)
}

function matches(span: Span, filter: TraceFilter): boolean {
  const shownMs = durationMs(span.durationNs)
  return (
    startsIn(span, filter.window) &&
    (filter.serviceName === undefined || span.serviceName === filter.serviceName) &&
    (filter.operationName === undefined || span.operationName === filter.operationName) &&
    (filter.minDurationMs === undefined || shownMs >= filter.minDurationMs) &&
    (filter.maxDurationMs === undefined || shownMs <= filter.maxDurationMs) &&
    (filter.status === undefined || span.status === filter.status) &&
    Object.entries(filter.tags ?? {}).every(([key, text]) => hasTag(span, key, text))
  )
}

export function startsIn(span: Span, window: TimeWindow): boolean {
  return window.startNs <= span.startNs && span.startNs < window.endNs
}

/** Whether a record or its resource has this value, as text. */
export function hasTag(record: Pick<Span, 'attributes' | 'resource'>, key: string, text: string): boolean {
  return [record.attributes, record.resource].some(
    (attributes) => Object.hasOwn(attributes, key) && textOf(attributes[key] as AttributeValue) === text,
  )
}

/** Null has no text, so nothing equals it. */
export function textOf(value: AttributeValue): string | undefined {
  if (value === null) return undefined
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
