import { SPAN_KINDS, type Span } from '../../../domain/span.ts'
import { NS_PER_HOUR, type TimeWindow } from '../../../domain/time-window.ts'
import type { SampleFilter } from '../../diagnostics-reader.ts'
import type { HourUnit } from '../scope/asked-files.ts'
import { inRanges } from '../scope/minute-ranges.ts'
import { openRows, type Scope } from '../scope/scope.ts'
import { openOrigins } from '../traces/span-rows-read.ts'
import { selectWhole, wholeSpans } from '../traces/whole-spans.ts'

/**
 * Whole seconds are drawn by lot until there are enough spans, because what came together is read together. Hashes decide, so
 * that the choice is the same whenever and wherever the spans lie.
 */
export async function sampleSpans(
  scope: Scope,
  window: TimeWindow,
  filter: SampleFilter,
  limit: number,
): Promise<Span[]> {
  return await chosen(scope, window, filter, 'hash(start_ns // 1000000000), hash(span_id), span_id', limit)
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
  const places = await scope.session.numbers('SELECT hour, row FROM chosen ORDER BY hour, row')
  const units = scope.units.filter(({ hour }) => places.column(0).subarray(0, places.rows).includes(hour))
  if (units.length === 0) return []
  const selects = units.flatMap((unit) => {
    const isChosen = (key: string, name: string) => `${key} IN (SELECT ${name} FROM chosen WHERE hour = ${unit.hour})`
    const rows = [...places.column(1).subarray(0, places.rows)].filter(
      (row, i) => places.column(0)[i] === unit.hour && row >= 0,
    )
    const sealed = rows.length > 0 ? `${inRows(rows)} AND ${isChosen('rowid', 'row')}` : 'false'
    return selectWhole(unit, sealed, isChosen('(trace_id, span_id)', 'trace_id, span_id'))
  })
  return await wholeSpans(scope, selects, 'start_ns DESC, trace_id, span_id')
}

/** Rows that lie nearer to each other are read with what is between them. */
const GAP_ROWS = 2048
const RANGES_MAX = 100

/** A condition that keeps a scan to where these rows are: the database looks at a list of them only after reading everything. */
function inRows(rows: number[]): string {
  for (let gap = GAP_ROWS; ; gap *= 2) {
    const ranges: { first: number; last: number }[] = []
    for (const row of rows) {
      const range = ranges.at(-1)
      if (range && row - range.last <= gap) range.last = row
      else ranges.push({ first: row, last: row })
    }
    if (ranges.length <= RANGES_MAX)
      return `(${ranges.map(({ first, last }) => `rowid BETWEEN ${first} AND ${last}`).join(' OR ')})`
  }
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
  const selects = scope.units.flatMap((unit) => {
    const sealed = unit.file
      ? `trace_no IN (SELECT trace_no FROM ${unit.file.alias}.traces WHERE trace_id IN (SELECT trace_id FROM asked_ids))`
      : 'false'
    return selectWhole(unit, `${inTime} AND ${sealed}`, `${inTime} AND trace_id IN (SELECT trace_id FROM asked_ids)`)
  })
  return await wholeSpans(scope, selects, `trace_id, start_ns, span_id LIMIT ${limit}`)
}
