import type { LogRecord } from '../../domain/log-record.ts'
import type { Span } from '../../domain/span.ts'
import { minutesOf, NS_PER_HOUR, type TimeWindow } from '../../domain/time-window.ts'
import type { LogInSpan, SpanShape } from '../diagnostics-reader.ts'
import { ascending } from './ascending.ts'
import { fnv1a } from './fnv1a.ts'
import { type GridRows, spanKey } from './grid-rows.ts'
import { groupedBy } from './grouped-by.ts'
import { minutesBetween } from './time-units.ts'
import { startsIn } from './trace-search.ts'

export function spanShapes(spans: Span[], window: TimeWindow, oneTraceIn: number, limit: number): SpanShape[] {
  const { startNs, endNs } = window
  const drawn = spans.filter(({ traceId }) => isDrawn(traceId, oneTraceIn))
  const near = drawn.filter((span) => startsIn(span, { startNs, endNs: endNs + NS_PER_HOUR }))
  const below = groupedBy(near, ({ traceId, parentSpanId }) => spanKey(traceId, parentSpanId))
  const shaped = near
    .filter((span) => startsIn(span, window) && span.kind !== 'CLIENT' && span.kind !== 'PRODUCER')
    .map((span) => ({ span, steps: stepsOf(span, below.get(spanKey(span.traceId, span.spanId)) ?? []) }))
  const groups = groupedBy(shaped, ({ span, steps }) => JSON.stringify([span.serviceName, span.operationName, steps]))
  return [...groups.values()]
    .toSorted((a, b) => b.length - a.length)
    .slice(0, limit)
    .map((own): SpanShape => {
      const { span, steps } = own[0] as (typeof own)[number]
      const { serviceName, operationName } = span
      return {
        serviceName,
        operationName,
        steps,
        ...countedByMinute(
          own.map((each) => each.span),
          window,
        ),
      }
    })
}

function countedByMinute(spans: Span[], window: TimeWindow): Pick<SpanShape, 'counts' | 'traceId'> {
  const { startNs, count } = minutesOf(window)
  const byMinute = groupedBy(spans, (span) => minutesBetween(startNs, span.startNs))
  const newest = byMinute.get(Math.max(...byMinute.keys())) ?? []
  return {
    counts: Uint32Array.from({ length: count }, (_, minute) => byMinute.get(minute)?.length ?? 0),
    traceId: newest.map(({ traceId }) => traceId).toSorted(ascending)[0] ?? '',
  }
}

function stepsOf({ serviceName }: Span, children: Span[]): string[] {
  const own = children.filter((child) => child.serviceName === serviceName)
  return [...new Set(own.map(({ operationName }) => operationName))].toSorted(ascending)
}

export function sampleLogs(
  { logs, spans }: GridRows,
  { startNs, endNs }: TimeWindow,
  oneTraceIn: number,
  limit: number,
): LogInSpan[] {
  const around = { startNs: startNs - NS_PER_HOUR, endNs: endNs + NS_PER_HOUR }
  const operationOf = ({ traceId, spanId }: LogRecord) => {
    const span = spans.get(spanKey(traceId, spanId))
    return span && startsIn(span, around) ? span.operationName : ''
  }
  return [...logs.values()]
    .filter(({ timeNs, traceId, id }) => startNs <= timeNs && timeNs < endNs && isDrawn(traceId || id, oneTraceIn))
    .map((log) => ({ log, lot: fnv1a(log.id) }))
    .toSorted((a, b) => ascending(a.lot, b.lot))
    .slice(0, limit)
    .map(({ log }) => log)
    .toSorted((a, b) => ascending(a.timeNs, b.timeNs) || ascending(a.id, b.id))
    .map((log) => ({ ...sayingOf(log), operationName: operationOf(log) }))
}

export function sayingOf(log: LogRecord): Omit<LogInSpan, 'operationName'> {
  const { id, timeNs, severityNumber, body, template, traceId, spanId, serviceName, attributes } = structuredClone(log)
  return { id, timeNs, severityNumber, body, template, traceId, spanId, serviceName, attributes }
}

export function isDrawn(id: string, oneIn: number): boolean {
  return oneIn === 1 || fnv1a(id) % oneIn === 0
}
