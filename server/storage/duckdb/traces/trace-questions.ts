import type { Span, SpanSummary } from '../../../domain/span.ts'
import type { TraceSpans } from '../../telemetry-store.ts'
import { parentsFirst } from '../../trace-order.ts'
import type { Parameters, Row } from '../engine/session.ts'
import type { HourUnit } from '../scope/asked-files.ts'
import type { Scope } from '../scope/scope.ts'
import { selectSpans, spanOf, summaryOf } from './span-rows-read.ts'

export async function traceSpans(scope: Scope, traceId: string, limit: number): Promise<TraceSpans> {
  const spans: SpanSummary[] = []
  let totalCount = 0
  for (const { unit, sealed } of await unitsOfTrace(scope, traceId)) {
    const select = selectSpans(unit, 'summary', sealed, OPEN_TRACE)
    const parameters = { ...scope.grid, trace: traceId }
    const rows = await earliest(scope, select, parameters, limit)
    for (const row of rows) spans.push(summaryOf(row))
    const counted =
      rows.length >= limit && (await scope.session.rows(`SELECT count(*) AS n FROM (${select})`, parameters))
    totalCount += counted ? Number(counted[0]?.['n']) : rows.length
  }
  return { spans: parentsFirst(spans).slice(0, limit), totalCount }
}

/** The first rows by start, and within reason those that start together with the last of them: their order is not by start alone. */
async function earliest(scope: Scope, select: string, parameters: Parameters, limit: number): Promise<Row[]> {
  const rows = await scope.session.rows(`${select} ORDER BY start_ns LIMIT ${limit}`, parameters)
  const last = rows.at(-1)
  if (rows.length < limit || !last) return rows
  const upToLast = `SELECT * FROM (${select}) WHERE start_ns <= ${last['start_ns']} ORDER BY start_ns LIMIT ${limit * 4}`
  return await scope.session.rows(upToLast, parameters)
}

/** The text search is quick and finds almost all that is not wanted out; attributes may look like an event, though. */
const FAILED = `(status = 2 OR (contains(events, '"name":"exception"')
  AND coalesce(list_contains(json_extract_string(events, '$[*].name'), 'exception'), false)))`

export async function traceErrorSpans(scope: Scope, traceId: string, limit: number): Promise<Span[]> {
  const spans: Span[] = []
  for (const { unit, sealed } of (await unitsOfTrace(scope, traceId)).reverse()) {
    const select = selectSpans(unit, 'whole', `${sealed} AND ${FAILED}`, `${OPEN_TRACE} AND ${FAILED}`)
    const earliest = `${select} ORDER BY start_ns, span_id LIMIT ${limit - spans.length}`
    const rows = await scope.session.rows(earliest, { ...scope.grid, trace: traceId })
    for (const row of rows) spans.push(spanOf(row))
    if (spans.length >= limit) break
  }
  return spans
}

const OPEN_TRACE = 'trace_id = $trace::UUID'

/** The units that know a trace, with the condition for its sealed spans there. */
async function unitsOfTrace(scope: Scope, traceId: string): Promise<{ unit: HourUnit; sealed: string }[]> {
  const numbers = new Map<number, number>()
  const sealed = scope.units.filter((unit) => unit.file)
  if (sealed.length > 0) {
    const sql = sealed.map(
      (unit) => `SELECT ${unit.hour} AS hour, trace_no FROM ${unit.file?.alias}.traces WHERE ${OPEN_TRACE}`,
    )
    const found = await scope.session.rows(sql.join(' UNION ALL '), { trace: traceId })
    for (const row of found) numbers.set(row['hour'] as number, row['trace_no'] as number)
  }
  return scope.units
    .filter((unit) => unit.open.length > 0 || numbers.has(unit.hour))
    .map((unit) => ({ unit, sealed: `trace_no = ${numbers.get(unit.hour) ?? 0}` }))
}
