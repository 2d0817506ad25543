import { SPAN_KINDS, type Span } from '../../../domain/span.ts'
import { NS_PER_HOUR, type TimeWindow } from '../../../domain/time-window.ts'
import type { SampleFilter } from '../../diagnostics-reader.ts'
import type { HourUnit } from '../scope/asked-files.ts'
import { inRanges } from '../scope/minute-ranges.ts'
import { openRows, type Scope } from '../scope/scope.ts'
import { openOrigins } from '../traces/span-rows-read.ts'
import { chosenSpans } from './chosen-spans.ts'

/**
 * Whole seconds are drawn by lot until there are enough spans, because what came together is read together. Hashes decide, so
 * that the choice is the same whenever and wherever the spans lie. They are chosen by what is small, and then read whole.
 */
export async function sampleSpans(
  scope: Scope,
  window: TimeWindow,
  filter: SampleFilter,
  limit: number,
): Promise<Span[]> {
  const parts = scope.units.flatMap((unit) => candidates(unit, window, filter))
  if (parts.length === 0) return []
  const parameters = {
    ...scope.grid,
    ...(filter.serviceName === undefined ? {} : { service: filter.serviceName }),
    ...(filter.operationName === undefined ? {} : { operation: filter.operationName }),
  }
  await scope.session.run(
    `CREATE OR REPLACE TEMP TABLE chosen AS
     SELECT * FROM (${parts.join(' UNION ALL ')}) 
     ORDER BY hash(start_ns // 1000000000), hash(span_id), span_id LIMIT ${limit}`,
    parameters,
  )
  return await chosenSpans(scope)
}

/** A sealed span is known by its row, one of an open file by its ids. */
function candidates(unit: HourUnit, window: TimeWindow, filter: SampleFilter): string[] {
  const conditions = [inRanges('start_ns', [window]), ...ownConditions(filter)].join(' AND ')
  const parts: string[] = []
  if (unit.file) {
    const { alias } = unit.file
    const named = (column: string, parameter: string) =>
      `${column} IN (SELECT name_no FROM ${alias}.names WHERE name = $${parameter})`
    const names = [
      ...(filter.serviceName === undefined ? [] : [named('service_no', 'service')]),
      ...(filter.operationName === undefined ? [] : [named('operation_no', 'operation')]),
    ]
    parts.push(`SELECT ${unit.hour} AS hour, rowid AS row, NULL::UUID AS trace_id, span_id, start_ns
      FROM ${alias}.spans WHERE ${[conditions, ...names].join(' AND ')}`)
  }
  const rows = openRows(unit, 'spans', 'trace_id, span_id, start_ns, duration_ns, kind, status, operation, origin')
  if (!rows) return parts
  const names = [
    ...(filter.serviceName === undefined ? [] : ['g.service = $service']),
    ...(filter.operationName === undefined ? [] : ['operation = $operation']),
  ]
  parts.push(`SELECT ${unit.hour} AS hour, -1::BIGINT AS row, trace_id, span_id, start_ns
    FROM ${rows} s JOIN ${openOrigins(unit)} g USING (origin) WHERE ${[conditions, ...names].join(' AND ')}`)
  return parts
}

function ownConditions({ kind, status, minDurationNs, maxDurationNs }: SampleFilter): string[] {
  const kinds = [...SPAN_KINDS.keys()].filter((number) => SPAN_KINDS[number] === kind)
  return [
    ...(kind === undefined ? [] : [`kind IN (${kinds.join(', ')})`]),
    ...(status === undefined ? [] : [status === 'ERROR' ? 'status = 2' : 'status <> 2']),
    ...(minDurationNs === undefined ? [] : [`duration_ns >= ${minDurationNs}`]),
    ...(maxDurationNs === undefined ? [] : [`duration_ns <= ${maxDurationNs}`]),
  ]
}

/** Where spans of a trace are looked for that has spans in the window. */
export function around({ startNs, endNs }: TimeWindow): TimeWindow {
  return { startNs: startNs - NS_PER_HOUR, endNs: endNs + NS_PER_HOUR }
}
