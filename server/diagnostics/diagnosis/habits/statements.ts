import type { Attributes } from '../../../domain/attributes.ts'
import { mergeTemplates } from '../../../domain/log-template.ts'
import type { LogInSpan } from '../../../storage/diagnostics-reader.ts'
import { groupedBy } from '../grouped-by.ts'
import { indexOn, type MinuteAxis, minuteOf } from '../series/minute-axis.ts'

/** A place in the code that writes log records, as far as records tell. */
export interface Statement {
  serviceName: string
  /** Of the spans in which it writes; empty where those are not known. */
  operationName: string
  template: string
  /** The highest it was seen with. */
  severityNumber: number
  /** In how many spans, or how often where those are not known, by minute. */
  spans: number[]
  /** What the newest records of it say, cut; newest last. */
  examples: Example[]
  /** The newest that is known. */
  traceId: string
  /** The type of exception that most of its records tell of, as attributes; empty where they tell of none. */
  exceptionType: string
  /** The spans in which it wrote, as keys. */
  writers: ReadonlySet<string>
}

export function writerKey({ traceId, spanId }: { traceId: string; spanId: string }): string {
  return `${traceId}/${spanId}`
}

export interface Example {
  minute: number
  text: string
}

const EXAMPLE_LENGTH_MAX = 400
const EXAMPLES_MAX = 60

export function statementsOf(logs: LogInSpan[], axis: MinuteAxis): Statement[] {
  const byPlace = groupedBy(logs, ({ serviceName, operationName }) => `${serviceName}\n${operationName}`)
  return [...byPlace.values()].flatMap((own) => {
    const merged = mergeTemplates(new Set(own.map(({ template }) => template)))
    const templateOf = ({ template }: LogInSpan) => merged.get(template) ?? ''
    // Where a record says which line of code wrote it, that is surer than its words.
    const byStatement = groupedBy(own, (log) => codeOf(log.attributes) || templateOf(log))
    return [...byStatement.values()].map((records) => statementOf(records, templateOf, axis))
  })
}

function statementOf(records: LogInSpan[], templateOf: (log: LogInSpan) => string, axis: MinuteAxis): Statement {
  const newest = records.at(-1) as LogInSpan
  const spans = new Array<number>(axis.length).fill(0)
  const seen = new Set<string>()
  for (const { traceId, spanId, id, timeNs } of records) {
    const minute = indexOn(axis, minuteOf(timeNs))
    const key = spanId === '' ? id : writerKey({ traceId, spanId })
    if (minute === undefined || seen.has(key)) continue
    seen.add(key)
    spans[minute] = (spans[minute] ?? 0) + 1
  }
  return {
    serviceName: newest.serviceName,
    operationName: newest.operationName,
    template: templateOf(newest),
    examples: records.slice(-EXAMPLES_MAX).map(({ body, timeNs }) => exampleOf(body, timeNs, axis)),
    severityNumber: records.reduce((most, { severityNumber }) => Math.max(most, severityNumber), 0),
    spans,
    traceId: newest.traceId,
    writers: seen,
    exceptionType: exceptionTypeOf(records),
  }
}

function exceptionTypeOf(records: LogInSpan[]): string {
  const types = records.map(({ attributes }) => attributes['exception.type']).filter((type) => typeof type === 'string')
  return types.length >= records.length / 2 ? (types.at(-1) ?? '') : ''
}

function exampleOf(body: string, timeNs: bigint, axis: MinuteAxis): Example {
  return { minute: indexOn(axis, minuteOf(timeNs)) ?? -1, text: body.slice(0, EXAMPLE_LENGTH_MAX) }
}

/** Where in the code, by the attributes that the semantic conventions have for it, former names and others of that family. */
function codeOf(attributes: Attributes): string {
  const keys = Object.keys(attributes).filter((key) => key.startsWith('code.') && !key.includes('stacktrace'))
  return keys
    .toSorted()
    .map((key) => String(attributes[key]))
    .join(' ')
}
