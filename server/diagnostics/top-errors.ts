import type { AttributeValue } from '../domain/attributes.ts'
import type { Failures, Telling } from '../domain/failures.ts'
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
export function topErrors(failures: Failures): TopError[] {
  const errors = sameErrors(failures)
  return [...groupsOf(countsOf(failures, errors))]
    .map(({ exceptionType, texts, values, count }) => ({
      exceptionType,
      message: foldedMessage(texts, values),
      count,
      percentage: rounded((count * 100) / errors.length),
    }))
    .sort((a, b) => b.count - a.count || byName(a.exceptionType, b.exceptionType) || byName(a.message, b.message))
    .slice(0, ERRORS_MAX)
}

/** How many errors are called the same. Most were seen at the same places, which are looked at once. */
function countsOf({ told, tellings }: Failures, errors: number[][]): Map<Failure, number> {
  const failureOf = new Map<string, Failure>()
  const counts = new Map<Failure, number>()
  for (const rows of errors) {
    const places = rows.map((row) => told[row] as number)
    const key = places.join()
    const failure = failureOf.get(key) ?? failureToldBy(places.map((place) => tellings[place] as Telling))
    failureOf.set(key, failure)
    counts.set(failure, (counts.get(failure) ?? 0) + 1)
  }
  return counts
}

function groupsOf(failures: Map<Failure, number>): Iterable<ErrorGroup> {
  const groups = new Map<string, ErrorGroup>()
  for (const [{ exceptionType, message }, count] of failures) {
    const template = templateOf(message)
    const key = JSON.stringify([exceptionType, ...template.texts])
    const group = groups.get(key)
    if (group) join(group, template, count)
    else groups.set(key, { exceptionType, texts: template.texts, values: [...template.values], count })
  }
  return groups.values()
}

function join(group: ErrorGroup, { values }: MessageTemplate, count: number): void {
  group.count += count
  for (const [i, value] of values.entries()) if (group.values[i] !== value) group.values[i] = undefined
}

/**
 * What one error is called, seen at these spans, innermost first: by an exception where one was recorded, else by an error
 * type or a status.
 */
function failureToldBy(tellings: Telling[]): Failure {
  const statuses = tellings.map(({ attributes, statusMessage }) => ({
    exceptionType: failureTypeOf(attributes),
    message: statusMessage,
  }))
  const seen = [...tellings.map(lastException), ...statuses]
  const named = seen.find(({ exceptionType }) => exceptionType !== '')
  const told = seen.find(({ message }) => message !== '')
  return { exceptionType: named?.exceptionType ?? '', message: cutMessage((named?.message || told?.message) ?? '') }
}

/** The one that the span failed with. */
function lastException({ exceptions, statusMessage }: Telling): Failure {
  const last = exceptions.at(-1)
  if (!last) return { exceptionType: '', message: '' }
  return { exceptionType: textOf(last.type), message: textOf(last.message) || statusMessage }
}

function textOf(value: AttributeValue | undefined): string {
  return typeof value === 'string' ? value : ''
}
