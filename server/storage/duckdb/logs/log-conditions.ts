import { severityNumbersOf } from '../../../domain/log-record.ts'
import { isFoundAsIs, wordPattern } from '../../../domain/word-pattern.ts'
import type { LogFilter } from '../../telemetry-store.ts'
import type { HourUnit } from '../scope/asked-files.ts'
import { openRows, type Scope } from '../scope/scope.ts'
import { openOrigins } from '../traces/span-rows-read.ts'
import { openTagConditions, sealedTagConditions, tagParameters } from '../traces/tag-conditions.ts'
import { NO_TRACE } from './log-questions.ts'

/** Texts of the caller reach the database as parameters only. */
export function logParameters(scope: Scope, filter: LogFilter): Record<string, string> {
  const { serviceName, traceId, spanId, words = [], attributes = {} } = filter
  return {
    ...scope.grid,
    ...(serviceName !== undefined && { service: serviceName }),
    ...(traceId !== undefined && { trace: traceId }),
    ...(spanId !== undefined && { span: String(BigInt(`0x${spanId}`)) }),
    ...Object.fromEntries(words.map((word, i) => [`word${i}`, isFoundAsIs(word) ? word : `(?i)${wordPattern(word)}`])),
    ...tagParameters(Object.entries(attributes)),
  }
}

/** Whether numbers alone decide. */
export function isCheap({ words = [], attributes = {} }: LogFilter): boolean {
  return words.length === 0 && Object.keys(attributes).length === 0
}

/** The sealed rows of a unit that match, as what stands behind FROM; undefined where none can. */
export async function sealedMatches(scope: Scope, unit: HourUnit, filter: LogFilter): Promise<string | undefined> {
  if (!unit.file || asksForNone(filter)) return undefined
  const { alias } = unit.file
  const conditions = plainConditions(filter)
  if (filter.serviceName !== undefined) {
    const name = { name: filter.serviceName }
    const [found] = await scope.session.rows(`SELECT name_no FROM ${alias}.names WHERE name = $name`, name)
    if (!found) return undefined
    conditions.push(`service_no = ${found['name_no']}`)
  }
  const tags = Object.entries(filter.attributes ?? {})
  conditions.push(...(await sealedTagConditions(scope, alias, tags, NEVER)), ...wordConditions(filter))
  return `${alias}.logs WHERE ${conditions.join(' AND ')}`
}

/** The same for rows that are not sealed yet. */
export function openMatches(unit: HourUnit, filter: LogFilter): string | undefined {
  const rows = openRows(unit, 'logs')
  if (!rows || asksForNone(filter)) return undefined
  const conditions = plainConditions(filter)
  if (filter.serviceName !== undefined)
    conditions.push(`origin IN (SELECT origin FROM ${openOrigins(unit)} WHERE service = $service)`)
  const tags = Object.entries(filter.attributes ?? {})
  conditions.push(...openTagConditions(unit, tags), ...wordConditions(filter))
  return `${rows} WHERE ${conditions.join(' AND ')}`
}

/** A record of no trace has zeroes for its id, and nobody can ask for it by them. */
function asksForNone({ traceId, spanId }: LogFilter): boolean {
  return traceId === NO_TRACE || (spanId !== undefined && NO_TRACE.startsWith(spanId))
}

function plainConditions({ window, severityLevel, traceId, spanId }: LogFilter): string[] {
  const conditions = [`time_ns >= ${window.startNs}`, `time_ns < ${window.endNs}`]
  if (severityLevel !== undefined) {
    const { first, last } = severityNumbersOf(severityLevel)
    const others = severityLevel === 'Information' ? 'OR severity = 0 OR severity > 24' : ''
    conditions.push(`(severity BETWEEN ${first} AND ${last} ${others})`)
  }
  if (traceId !== undefined) conditions.push('trace_id = $trace::UUID')
  if (spanId !== undefined) conditions.push('span_id = $span::UBIGINT')
  return conditions
}

/** As that of traces: with a word about other columns, a text is looked at only where the cheap conditions hold. */
const NEVER = '(time_ns < observed_ns AND time_ns > observed_ns)'

function wordConditions({ words = [] }: LogFilter): string[] {
  return words.map((word, i) => {
    const occurs = isFoundAsIs(word) ? 'contains' : 'regexp_matches'
    return `(${occurs}(body, $word${i}) OR ${NEVER})`
  })
}
