import type { AttributeValue } from '../domain/attributes.ts'
import type { FailedSpan } from '../domain/failed-span.ts'
import type { SpanEvent } from '../domain/span.ts'
import { byName } from './by-name.ts'
import { failureTypeOf } from './failure-type.ts'
import { cutMessage, foldedMessage, type MessageTemplate, templateOf } from './message-template.ts'
import { rounded } from './rounding.ts'
import { sameErrors } from './same-errors.ts'

export interface TopError {
  exceptionType: string
  message: string
  count: number
  /** Percent of all errors of the service. */
  percentage: number
}

const ERRORS_MAX = 10

interface Failure {
  exceptionType: string
  message: string
}

interface ErrorGroup {
  exceptionType: string
  texts: string[]
  /** Undefined where they differ. */
  values: (string | undefined)[]
  count: number
}

/**
 * The errors of a service, given all of its failed spans: by exception type and message, the most frequent first. Messages
 * that differ only in ids, numbers and quoted values are one.
 */
export function topErrors(spans: FailedSpan[]): TopError[] {
  const failures = sameErrors(spans).map(failureOf)
  return [...groupsOf(failures)]
    .map(({ exceptionType, texts, values, count }) => ({
      exceptionType,
      message: foldedMessage(texts, values),
      count,
      percentage: rounded((count * 100) / failures.length),
    }))
    .sort((a, b) => b.count - a.count || byName(a.exceptionType, b.exceptionType) || byName(a.message, b.message))
    .slice(0, ERRORS_MAX)
}

function groupsOf(failures: Failure[]): Iterable<ErrorGroup> {
  const groups = new Map<string, ErrorGroup>()
  const templates = new Map<string, MessageTemplate>()
  for (const { exceptionType, message } of failures) {
    const template = templates.get(message) ?? templateOf(message)
    templates.set(message, template)
    const key = JSON.stringify([exceptionType, ...template.texts])
    const group = groups.get(key)
    if (group) join(group, template)
    else groups.set(key, { exceptionType, texts: template.texts, values: [...template.values], count: 1 })
  }
  return groups.values()
}

function join(group: ErrorGroup, { values }: MessageTemplate): void {
  group.count++
  for (const [i, value] of values.entries()) if (group.values[i] !== value) group.values[i] = undefined
}

/**
 * What one error is called, seen at these spans, innermost first: by an exception where one was recorded, else by an error
 * type or a status.
 */
function failureOf(spans: FailedSpan[]): Failure {
  const exceptions = spans.map(exceptionOf)
  const statuses = spans.map(({ attributes, statusMessage }) => ({
    exceptionType: failureTypeOf(attributes),
    message: statusMessage,
  }))
  const seen = [...exceptions, ...statuses]
  const named = seen.find(({ exceptionType }) => exceptionType !== '')
  const told = seen.find(({ message }) => message !== '')
  return { exceptionType: named?.exceptionType ?? '', message: cutMessage((named?.message || told?.message) ?? '') }
}

function exceptionOf({ events, statusMessage }: FailedSpan): Failure {
  const last = lastException(events)
  if (!last) return { exceptionType: '', message: '' }
  const { 'exception.type': type, 'exception.message': message } = last.attributes
  return { exceptionType: textOf(type), message: textOf(message) || statusMessage }
}

/** The one that the span failed with. */
function lastException(events: SpanEvent[]): SpanEvent | undefined {
  let last: SpanEvent | undefined
  for (const event of events) if (event.name === 'exception' && (!last || event.timeNs >= last.timeNs)) last = event
  return last
}

function textOf(value: AttributeValue | undefined): string {
  return typeof value === 'string' ? value : ''
}
