import type { Static } from 'typebox'
import type { TraceError } from '../diagnostics/trace-errors.ts'
import { type LogRecord, severityLevelOf } from '../domain/log-record.ts'
import { durationMs, type Span, type SpanEvent, type SpanSummary } from '../domain/span.ts'
import { isoOfNs } from '../domain/time-window.ts'
import { attributesAnswer } from './attributes-answer.ts'
import type {
  spanDetail,
  spanEvents,
  traceErrors,
  traceLogs,
  traceSearchResult,
  traceSpanList,
} from './schemas/traces.ts'

type ItemOf<Answer, Field extends keyof Answer> = Answer[Field] extends (infer Item)[] ? Item : never

export function searchItem(span: SpanSummary): ItemOf<Static<typeof traceSearchResult>, 'items'> {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    serviceName: span.serviceName,
    operationName: span.operationName,
    duration: durationMs(span.durationNs),
    status: span.status,
    startTime: isoOfNs(span.startNs),
    endTime: isoOfNs(span.startNs + span.durationNs),
  }
}

/** The span's own attributes win over those of its resource. */
export function spanDetailAnswer(span: Span): Static<typeof spanDetail> {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId || null,
    serviceName: span.serviceName,
    operationName: span.operationName,
    spanKind: span.kind,
    status: span.status,
    statusMessage: span.statusMessage,
    startTime: isoOfNs(span.startNs),
    endTime: isoOfNs(span.startNs + span.durationNs),
    duration: durationMs(span.durationNs),
    attributes: attributesAnswer({ ...span.resource, ...span.attributes }),
  }
}

export function spanListItem(span: SpanSummary): ItemOf<Static<typeof traceSpanList>, 'spans'> {
  return {
    spanId: span.spanId,
    parentSpanId: span.parentSpanId || null,
    serviceName: span.serviceName,
    operationName: span.operationName,
    spanKind: span.kind,
    status: span.status,
    startTime: isoOfNs(span.startNs),
    duration: durationMs(span.durationNs),
  }
}

export function logItem(log: LogRecord): ItemOf<Static<typeof traceLogs>, 'logs'> {
  return {
    timestamp: isoOfNs(log.timeNs),
    severityLevel: severityLevelOf(log.severityNumber),
    body: log.body,
    serviceName: log.serviceName,
    spanId: log.spanId,
    attributes: attributesAnswer(log.attributes),
  }
}

export function errorItem({ timeNs, attributes, ...error }: TraceError): ItemOf<Static<typeof traceErrors>, 'errors'> {
  return { timestamp: isoOfNs(timeNs), ...error, attributes: attributesAnswer(attributes) }
}

export function eventItem({ name, timeNs, attributes }: SpanEvent): ItemOf<Static<typeof spanEvents>, 'events'> {
  return { name, timestamp: isoOfNs(timeNs), attributes: attributesAnswer(attributes) }
}
