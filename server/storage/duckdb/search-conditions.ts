import type { TraceFilter } from '../telemetry-store.ts'
import type { HourUnit, Scope } from './scope.ts'
import { openOrigins } from './span-rows-read.ts'

/** What a filter means in one unit. Undefined where nothing in that part of the unit can match. */
export interface UnitConditions {
  sealed: string | undefined
  open: string | undefined
  /** The start of the earliest root among a trace's matching spans, where a root is preferred. */
  rootNs: string
  /** Whether numbers alone decide. */
  isCheap: boolean
  parameters: Record<string, string>
}

export function isUnfiltered(filter: TraceFilter): boolean {
  const { serviceName, operationName, minDurationMs, maxDurationMs, status, tags } = filter
  const given = [serviceName, operationName, minDurationMs, maxDurationMs, status]
  return given.every((value) => value === undefined) && Object.keys(tags ?? {}).length === 0
}

/**
 * Texts of the caller reach the database as parameters only. Names and origins are looked up first, so that the big scan
 * compares numbers, which are ours.
 */
export async function conditionsOf(scope: Scope, unit: HourUnit, filter: TraceFilter): Promise<UnitConditions> {
  const tags = Object.entries(filter.tags ?? {})
  const parameters: Record<string, string> = {}
  if (filter.serviceName !== undefined) parameters['service'] = filter.serviceName
  if (filter.operationName !== undefined) parameters['operation'] = filter.operationName
  tags.forEach(([key, value], i) => {
    parameters[`path${i}`] = jsonPointer(key)
    parameters[`value${i}`] = value
  })
  return {
    sealed: unit.file && (await sealedCondition(scope, unit.file.alias, filter, tags, parameters)),
    open: unit.open.length > 0 ? openCondition(unit, filter, tags) : undefined,
    rootNs: isUnfiltered(filter) ? 'min(start_ns) FILTER (parent_id = 0)' : 'NULL::BIGINT',
    isCheap: tags.length === 0,
    parameters,
  }
}

async function sealedCondition(
  scope: Scope,
  alias: string,
  filter: TraceFilter,
  tags: [string, string][],
  parameters: Record<string, string>,
): Promise<string | undefined> {
  const conditions = plainConditions(filter)
  for (const [column, name] of [
    ['service_no', filter.serviceName],
    ['operation_no', filter.operationName],
  ] as const) {
    if (name === undefined) continue
    const [found] = await scope.session.rows(`SELECT name_no FROM ${alias}.names WHERE name = $name`, { name })
    if (!found) return undefined
    conditions.push(`${column} = ${found['name_no']}`)
  }
  for (const [i, [, value]] of tags.entries()) {
    const origins = await scope.session.rows(
      `SELECT origin_no FROM ${alias}.origins WHERE ${equals('resource', i, value)}`,
      parameters,
    )
    const numbers = origins.map((row) => row['origin_no'])
    const inResource = numbers.length > 0 ? `origin_no IN (${numbers.join(', ')})` : NEVER
    conditions.push(`(${inAttributes(i, value)} OR ${inResource})`)
  }
  return conditions.join(' AND ')
}

/**
 * A condition on one column alone is tried while that column is read, before others at times: then the texts of all rows are
 * unpacked. With a word about other columns it is tried on what the cheap conditions have left.
 */
const NEVER = '(start_ns < duration_ns AND start_ns > duration_ns)'

function openCondition(unit: HourUnit, filter: TraceFilter, tags: [string, string][]): string {
  const conditions = plainConditions(filter)
  const origins = openOrigins(unit)
  if (filter.serviceName !== undefined)
    conditions.push(`origin IN (SELECT origin FROM ${origins} WHERE service = $service)`)
  if (filter.operationName !== undefined) conditions.push('operation = $operation')
  for (const [i, [, value]] of tags.entries()) {
    const inResource = `origin IN (SELECT origin FROM ${origins} WHERE ${equals('resource', i, value)})`
    conditions.push(`(${inAttributes(i, value)} OR ${inResource})`)
  }
  return conditions.join(' AND ')
}

/** Durations are judged rounded to whole milliseconds. */
function plainConditions(filter: TraceFilter): string[] {
  const conditions = [`start_ns >= ${filter.window.startNs}`, `start_ns < ${filter.window.endNs}`]
  if (filter.minDurationMs !== undefined)
    conditions.push(`duration_ns >= ${BigInt(filter.minDurationMs) * 1_000_000n - 500_000n}`)
  if (filter.maxDurationMs !== undefined)
    conditions.push(`duration_ns < ${(BigInt(filter.maxDurationMs) + 1n) * 1_000_000n - 500_000n}`)
  if (filter.status !== undefined) conditions.push(filter.status === 'ERROR' ? 'status = 2' : 'status <> 2')
  return conditions
}

function inAttributes(i: number, value: string): string {
  const mayHold = isWrittenAsIs(value) ? `contains(attributes, $value${i}) AND ` : ''
  return `(${mayHold}coalesce(${equals('attributes', i, value)}, false))`
}

/** Such a value stands in the JSON of attributes letter for letter, so a search for the text rules most rows out cheaply. */
function isWrittenAsIs(value: string): boolean {
  return /^[\w .:@/-]+$/.test(value) && !isExponent(value)
}

/** Numbers with an exponent are written otherwise by the database than by us, so there the number counts, not its text. */
function equals(json: string, i: number, value: string): string {
  const text = `json_extract_string(nullif(${json}, ''), $path${i})`
  const sameNumber = `OR (json_type(nullif(${json}, ''), $path${i}) = 'DOUBLE' AND ${text}::DOUBLE = $value${i}::DOUBLE)`
  return `(${text} = $value${i} ${isExponent(value) ? sameNumber : ''})`
}

function isExponent(value: string): boolean {
  return value.includes('e') && String(Number(value)) === value
}

/** RFC 6901: the key as it is, whatever characters it has. */
export function jsonPointer(key: string): string {
  return `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
}
