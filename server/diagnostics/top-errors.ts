import type { AttributeValue } from '../domain/attributes.ts'
import { type Failures, type Telling, valuesByMessage } from '../domain/failures.ts'
import { foldedMessage, textsOf } from '../domain/message-template.ts'
import { byName } from './by-name.ts'
import { failureTypeOf } from './failure-type.ts'
import { rounded } from './rounding.ts'
import { type SameErrors, sameErrors } from './same-errors.ts'

export interface TopError {
  exceptionType: string
  message: string
  count: number
  /** Percent of all errors of the service. */
  percentage: number
}

const ERRORS_MAX = 10

/** What an error is called. Its message has marks for values. */
interface Failure {
  exceptionType: string
  message: string
  /** The values of some of these errors. */
  samples(): string[][]
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
  const total = errors.alone.length + errors.together.length
  return groupsOf(countsOf(failures, errors))
    .map(({ exceptionType, texts, values, count }) => ({
      exceptionType,
      message: foldedMessage(texts, values),
      count,
      percentage: rounded((count * 100) / total),
    }))
    .sort((a, b) => b.count - a.count || byName(a.exceptionType, b.exceptionType) || byName(a.message, b.message))
    .slice(0, ERRORS_MAX)
}

/** Errors that were seen at the same places, innermost first: what the way from the first place to here stands for. */
interface Seen {
  count: number
  tellings: Telling[]
  further: Map<number, Seen>
}

/** How many errors are called the same. Most were seen at the same places, which are looked at once. */
function countsOf({ told, tellings }: Failures, { alone, together }: SameErrors): Map<Failure, number> {
  const all: Seen[] = []
  const begun = (places: Telling[]): Seen => {
    const seen = { count: 0, tellings: places, further: new Map() }
    all.push(seen)
    return seen
  }
  const next = (seen: Seen, row: number): Seen => {
    const place = told[row] as number
    const known = seen.further.get(place) ?? begun([...seen.tellings, tellings[place] as Telling])
    seen.further.set(place, known)
    return known
  }
  const nowhere = begun([])
  for (const row of alone) next(nowhere, row).count++
  for (const rows of together) rows.reduce(next, nowhere).count++
  return new Map(all.filter(({ count }) => count > 0).map((seen) => [failureToldBy(seen.tellings), seen.count]))
}

function groupsOf(failures: Map<Failure, number>): ErrorGroup[] {
  const groups = new Map<string, ErrorGroup>()
  for (const [{ exceptionType, message, samples: samplesOfFailure }, count] of failures) {
    const samples = samplesOfFailure()
    const key = JSON.stringify([exceptionType, message])
    const group = groups.get(key) ?? {
      exceptionType,
      texts: textsOf(message),
      values: [...(samples[0] ?? [])],
      count: 0,
    }
    groups.set(key, group)
    group.count += count
    for (const sample of samples)
      for (const [i, value] of sample.entries()) if (group.values[i] !== value) group.values[i] = undefined
  }
  return [...groups.values()]
}

/**
 * What one error is called, seen at these spans, innermost first: by an exception where one was recorded, else by an error
 * type or a status.
 */
function failureToldBy(tellings: Telling[]): Failure {
  const seen = [...tellings.map(lastException), ...tellings.map(statusOf)]
  const named = seen.find(({ exceptionType }) => exceptionType !== '')
  const told = named?.message ? named : seen.find(({ message }) => message !== '')
  return {
    exceptionType: named?.exceptionType ?? '',
    message: told?.message ?? '',
    samples: told?.samples ?? NO_SAMPLES,
  }
}

const NO_SAMPLES = () => []
const UNNAMED: Failure = { exceptionType: '', message: '', samples: NO_SAMPLES }

/** The one that the span failed with. */
function lastException(telling: Telling): Failure {
  const { exceptions } = telling
  const last = exceptions.at(-1)
  if (!last) return UNNAMED
  const message = textOf(last.message)
  const told = message === '' ? statusOf(telling) : { message, samples: () => samplesOf(telling, exceptions.length) }
  return { ...told, exceptionType: textOf(last.type) }
}

function statusOf(telling: Telling): Failure {
  return {
    exceptionType: failureTypeOf(telling.attributes),
    message: telling.statusMessage,
    samples: () => samplesOf(telling, 0),
  }
}

/** Of the status message, which is the first, or of an exception. */
function samplesOf(telling: Telling, message: number): string[][] {
  return telling.samples.map((sample) => valuesByMessage(telling, sample)[message] ?? [])
}

function textOf(value: AttributeValue | undefined): string {
  return typeof value === 'string' ? value : ''
}
