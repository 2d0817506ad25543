import { SPAN_KINDS, type Span } from '../../domain/span.ts'
import { NS_PER_HOUR, type TimeWindow } from '../../domain/time-window.ts'
import type { SampleFilter } from '../diagnostics-reader.ts'
import { inRanges } from './minute-ranges.ts'
import { type HourUnit, openRows, type Scope } from './scope.ts'
import { openOrigins, selectSpans, spanOf } from './span-rows-read.ts'

export async function errorSpans(
  scope: Scope,
  window: TimeWindow,
  serviceName: string | undefined,
  limit: number,
): Promise<Span[]> {
  const filter: SampleFilter = { status: 'ERROR', ...(serviceName === undefined ? {} : { serviceName }) }
  const order = 'start_ns DESC, trace, span_id'
  return await chosen(scope, window, filter, order, limit)
}

/** A hash of the span's id decides, so that the choice depends on nothing else about a span. */
export async function sampleSpans(
  scope: Scope,
  window: TimeWindow,
  filter: SampleFilter,
  limit: number,
): Promise<Span[]> {
  return await chosen(scope, window, filter, 'hash(trace, span_id), trace, span_id', limit)
}

/** The first spans in an order that meet a filter. They are chosen by what is small, and then read whole. */
async function chosen(
  scope: Scope,
  window: TimeWindow,
  filter: SampleFilter,
  order: string,
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
     SELECT * FROM (${parts.join(' UNION ALL ')}) ORDER BY ${order} LIMIT ${limit}`,
    parameters,
  )
  const hours = await scope.session.rows('SELECT DISTINCT hour FROM chosen')
  const units = scope.units.filter(({ hour }) => hours.some((row) => row['hour'] === hour))
  if (units.length === 0) return []
  const selects = units.map((unit) => {
    const isChosen = (key: string) =>
      `(${key}, span_id) IN (SELECT ${key}, span_id FROM chosen WHERE hour = ${unit.hour})`
    return `(${selectSpans(unit, 'whole', isChosen('trace_no'), isChosen('trace_id'))})`
  })
  const rows = await scope.session.rows(
    `SELECT s.* FROM (${selects.join(' UNION ALL ')}) s ORDER BY start_ns DESC, trace_id, span_id`,
    scope.grid,
  )
  return rows.map(spanOf)
}

/** Both forms of a trace's name: its number in an hour file, or its id; the other is null. */
function candidates(unit: HourUnit, window: TimeWindow, filter: SampleFilter): string[] {
  const conditions = [inRanges('start_ns', [window]), ...ownConditions(filter)].join(' AND ')
  const parts: string[] = []
  if (unit.file) {
    const { alias } = unit.file
    const named = (column: string, parameter: string) =>
      `s.${column} IN (SELECT name_no FROM ${alias}.names WHERE name = $${parameter})`
    const names = [
      ...(filter.serviceName === undefined ? [] : [named('service_no', 'service')]),
      ...(filter.operationName === undefined ? [] : [named('operation_no', 'operation')]),
    ]
    parts.push(`SELECT ${unit.hour} AS hour, s.trace_no, NULL::UUID AS trace_id, t.trace_id AS trace, span_id, start_ns
      FROM (SELECT * FROM ${alias}.spans s WHERE ${[conditions, ...names].join(' AND ')}) s
      JOIN ${alias}.traces t ON t.trace_no = s.trace_no`)
  }
  const rows = openRows(unit, 'spans', 'trace_id, span_id, start_ns, duration_ns, kind, status, operation, origin')
  if (!rows) return parts
  const names = [
    ...(filter.serviceName === undefined ? [] : ['g.service = $service']),
    ...(filter.operationName === undefined ? [] : ['operation = $operation']),
  ]
  parts.push(`SELECT ${unit.hour} AS hour, NULL::UINTEGER AS trace_no, trace_id, trace_id AS trace, span_id, start_ns
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

export async function spansOfTraces(
  scope: Scope,
  traceIds: string[],
  window: TimeWindow,
  limit: number,
): Promise<Span[]> {
  if (scope.units.length === 0 || traceIds.length === 0) return []
  await scope.session.run(
    `CREATE OR REPLACE TEMP TABLE asked_ids AS
     SELECT DISTINCT unnest(json_extract_string($ids::JSON, '$[*]'))::UUID AS trace_id`,
    { ids: JSON.stringify(traceIds) },
  )
  const inTime = inRanges('start_ns', [around(window)])
  const selects = scope.units.map((unit) => {
    const sealed = unit.file
      ? `trace_no IN (SELECT trace_no FROM ${unit.file.alias}.traces WHERE trace_id IN (SELECT trace_id FROM asked_ids))`
      : 'false'
    return selectSpans(
      unit,
      'whole',
      `${inTime} AND ${sealed}`,
      `${inTime} AND trace_id IN (SELECT trace_id FROM asked_ids)`,
    )
  })
  const rows = await scope.session.rows(
    `SELECT * FROM (${selects.join(' UNION ALL ')}) ORDER BY trace_id, start_ns, span_id LIMIT ${limit}`,
    scope.grid,
  )
  return rows.map(spanOf)
}
