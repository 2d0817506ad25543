import type { Attributes, AttributeValue } from '../domain/attributes.ts'
import type { LogRecord } from '../domain/log-record.ts'
import type { Span, SpanEvent } from '../domain/span.ts'
import { failureTypeOf } from './failure-type.ts'

export interface TraceError {
  timeNs: bigint
  /** Empty for a log record that belongs to no span. */
  spanId: string
  serviceName: string
  exceptionType: string
  message: string
  stackTrace: string
  attributes: Attributes
}

/**
 * Everything that went wrong in a trace, ascending: exceptions that spans recorded, failed spans that recorded none,
 * and exceptions in logs. The same span and exception type is one error, in which what the span recorded wins.
 */
export function traceErrors(spans: Span[], logs: LogRecord[]): TraceError[] {
  const merged = new Map<string, TraceError>()
  const keep = (error: TraceError, key: string) => merged.set(key, merge(merged.get(key), error))
  const exceptionLogs = logs.filter(({ attributes }) => isException(attributes))
  const spansWithExceptionLogs = new Set(exceptionLogs.map(({ spanId }) => spanId))
  for (const span of spans) {
    for (const error of errorsOfSpan(span, spansWithExceptionLogs)) keep(error, keyOf(error, error.spanId))
  }
  for (const log of exceptionLogs) {
    const error = errorOfLog(log)
    keep(error, keyOf(error, log.spanId || log.id))
  }
  return [...merged.values()].sort((a, b) => Number(a.timeNs - b.timeNs))
}

function keyOf({ exceptionType }: TraceError, place: string): string {
  return `${place} ${exceptionType}`
}

function merge(first: TraceError | undefined, next: TraceError): TraceError {
  if (!first) return next
  return {
    ...first,
    message: first.message || next.message,
    stackTrace: first.stackTrace || next.stackTrace,
    attributes: { ...next.attributes, ...first.attributes },
  }
}

function errorsOfSpan(span: Span, spansWithExceptionLogs: Set<string>): TraceError[] {
  const exceptions = span.events.filter(({ name, attributes }) => name === 'exception' || isException(attributes))
  if (exceptions.length > 0) {
    return exceptions.sort((a, b) => Number(a.timeNs - b.timeNs)).map((event) => errorOfEvent(span, event))
  }
  if (span.status !== 'ERROR') return []
  const error = errorOfFailedSpan(span)
  // A failure of which nothing is known is the exception that was logged in it.
  return error.exceptionType === '' && spansWithExceptionLogs.has(span.spanId) ? [] : [error]
}

function errorOfEvent({ spanId, serviceName, statusMessage }: Span, { timeNs, attributes }: SpanEvent): TraceError {
  return { timeNs, spanId, serviceName, ...exceptionOf(attributes, statusMessage), attributes }
}

/** A span says that it failed when it ends. */
function errorOfFailedSpan({ startNs, durationNs, spanId, serviceName, statusMessage, attributes }: Span): TraceError {
  return {
    timeNs: startNs + durationNs,
    spanId,
    serviceName,
    exceptionType: failureTypeOf(attributes),
    message: statusMessage,
    stackTrace: '',
    attributes,
  }
}

function errorOfLog({ timeNs, spanId, serviceName, body, attributes }: LogRecord): TraceError {
  return { timeNs, spanId, serviceName, ...exceptionOf(attributes, body), attributes }
}

function isException(attributes: Attributes): boolean {
  return ['exception.type', 'exception.message', 'exception.stacktrace'].some((key) => textOf(attributes[key]) !== '')
}

function exceptionOf(attributes: Attributes, otherwise: string) {
  return {
    exceptionType: textOf(attributes['exception.type']),
    message: textOf(attributes['exception.message']) || otherwise,
    stackTrace: textOf(attributes['exception.stacktrace']),
  }
}

function textOf(value: AttributeValue | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
