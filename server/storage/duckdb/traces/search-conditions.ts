import type { TraceFilter } from '../../telemetry-store.ts'
import type { HourUnit } from '../scope/asked-files.ts'
import type { Scope } from '../scope/scope.ts'
import { openOrigins } from './span-rows-read.ts'
import { openTagConditions, sealedTagConditions, type Tag, tagParameters } from './tag-conditions.ts'

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
  const parameters = tagParameters(tags)
  if (filter.serviceName !== undefined) parameters['service'] = filter.serviceName
  if (filter.operationName !== undefined) parameters['operation'] = filter.operationName
  return {
    sealed: unit.file && (await sealedCondition(scope, unit.file.alias, filter, tags)),
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
  tags: Tag[],
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
  return [...conditions, ...(await sealedTagConditions(scope, alias, tags, NEVER))].join(' AND ')
}

/**
 * A condition on one column alone is tried while that column is read, before others at times: then the texts of all rows are
 * unpacked. With a word about other columns it is tried on what the cheap conditions have left.
 */
const NEVER = '(start_ns < duration_ns AND start_ns > duration_ns)'

function openCondition(unit: HourUnit, filter: TraceFilter, tags: Tag[]): string {
  const conditions = plainConditions(filter)
  if (filter.serviceName !== undefined)
    conditions.push(`origin IN (SELECT origin FROM ${openOrigins(unit)} WHERE service = $service)`)
  if (filter.operationName !== undefined) conditions.push('operation = $operation')
  return [...conditions, ...openTagConditions(unit, tags)].join(' AND ')
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
