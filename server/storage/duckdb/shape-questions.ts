import { spanKindOf } from '../../domain/span.ts'
import { NS_PER_HOUR, type TimeWindow } from '../../domain/time-window.ts'
import type { LogInSpan, SpanShape } from '../diagnostics-reader.ts'
import { logOf, selectLogs } from './log-questions.ts'
import { inRanges, minuteOfColumn } from './minute-ranges.ts'
import { around } from './sample-questions.ts'
import { type HourUnit, openRows, type Scope } from './scope.ts'
import { hexOfUuid, openOrigins, selectSpans, summaryOf } from './span-rows-read.ts'

/** As spans are stored: calls, and what sends messages. */
const CALLS = '(3, 4)'
/** Numbers that mean nothing are read as internal. */
const KIND = 'CASE WHEN s.kind BETWEEN 2 AND 5 THEN s.kind ELSE 1 END'

export async function spanShapes(
  scope: Scope,
  window: TimeWindow,
  oneTraceIn: number,
  limit: number,
): Promise<SpanShape[]> {
  const near = inRanges('start_ns', [{ startNs: window.startNs, endNs: window.endNs + NS_PER_HOUR }])
  const parts = scope.units.flatMap((unit) => drawnSpans(unit, near, oneTraceIn))
  if (parts.length === 0) return []
  await scope.session.run(`CREATE OR REPLACE TEMP TABLE drawn_spans AS ${parts.join(' UNION ALL ')}`, scope.grid)
  const rows = await scope.session.rows(
    `WITH below AS (
       SELECT trace_id, parent_id, service, list_sort(list(DISTINCT operation)) AS steps
       FROM drawn_spans GROUP BY ALL)
     SELECT s.service, s.operation, ${KIND} AS kind, ${minuteOfColumn('s.start_ns')} AS minute_ns,
       coalesce(b.steps, []) AS steps, count(*)::DOUBLE AS spans, min(s.trace_id::VARCHAR) AS trace_id
     FROM drawn_spans s LEFT JOIN below b
       ON b.trace_id = s.trace_id AND b.parent_id = s.span_id AND b.service = s.service
     WHERE ${inRanges('s.start_ns', [window])} AND s.kind NOT IN ${CALLS}
     GROUP BY s.service, s.operation, ${KIND}, minute_ns, b.steps ORDER BY spans DESC LIMIT ${limit}`,
  )
  return rows.map((row) => ({
    serviceName: row['service'] as string,
    operationName: row['operation'] as string,
    kind: spanKindOf(row['kind'] as number),
    minuteNs: row['minute_ns'] as bigint,
    steps: (row['steps'] as unknown as { items: string[] }).items.toSorted((a, b) => (a < b ? -1 : 1)),
    spanCount: row['spans'] as number,
    traceId: hexOfUuid(row['trace_id']),
  }))
}

function drawnSpans(unit: HourUnit, inTime: string, oneTraceIn: number): string[] {
  const parts: string[] = []
  if (unit.file) {
    const { alias } = unit.file
    parts.push(`SELECT t.trace_id, s.span_id, s.parent_id, s.start_ns, s.kind, v.name AS service, o.name AS operation
      FROM (SELECT * FROM ${alias}.traces WHERE ${isDrawn('trace_id', oneTraceIn)}) t
      JOIN (SELECT trace_no, span_id, parent_id, start_ns, kind, service_no, operation_no FROM ${alias}.spans
        WHERE ${inTime}) s ON s.trace_no = t.trace_no
      JOIN ${alias}.names v ON v.name_no = s.service_no
      JOIN ${alias}.names o ON o.name_no = s.operation_no`)
  }
  const rows = openRows(unit, 'spans', 'trace_id, span_id, parent_id, start_ns, kind, operation, origin')
  if (rows)
    parts.push(`SELECT trace_id, span_id, parent_id, start_ns, kind, g.service, operation
      FROM ${rows} s JOIN ${openOrigins(unit)} g USING (origin)
      WHERE ${inTime} AND ${isDrawn('trace_id', oneTraceIn)}`)
  return parts
}

function isDrawn(id: string, oneIn: number): string {
  return oneIn === 1 ? 'true' : `hash(${id}) % ${oneIn} = 0`
}

const NO_TRACE = `'${'0'.repeat(32)}'::UUID`

export async function sampleLogs(
  scope: Scope,
  window: TimeWindow,
  oneTraceIn: number,
  limit: number,
): Promise<LogInSpan[]> {
  const drawn = isDrawn(`CASE WHEN trace_id = ${NO_TRACE} THEN id ELSE trace_id END`, oneTraceIn)
  const where = `${inRanges('time_ns', [window])} AND ${drawn}`
  const parts = scope.units.flatMap((unit) => drawnLogs(unit, where))
  if (parts.length === 0) return []
  // Chosen by what is small, and then read whole.
  await scope.session.run(
    `CREATE OR REPLACE TEMP TABLE drawn_logs AS
     SELECT * FROM (${parts.join(' UNION ALL ')}) ORDER BY hash(id), id LIMIT ${limit}`,
    scope.grid,
  )
  const whole = scope.units.flatMap((unit) =>
    selectLogs(unit, `${inRanges('time_ns', [window])} AND id IN (SELECT id FROM drawn_logs)`),
  )
  const rows = await scope.session.rows(`SELECT * FROM (${whole.join(' UNION ALL ')}) ORDER BY time_ns, id`, scope.grid)
  const operations = await operationsOfLogs(scope, window)
  return rows.map((row) => {
    const log = logOf(row)
    return { ...log, operationName: operations.get(`${log.traceId}/${log.spanId}`) ?? '' }
  })
}

function drawnLogs(unit: HourUnit, where: string): string[] {
  const sealed = unit.file ? [`SELECT id, trace_id, span_id FROM ${unit.file.alias}.logs WHERE ${where}`] : []
  const rows = openRows(unit, 'logs', 'id, trace_id, span_id, time_ns')
  return rows ? [...sealed, `SELECT id, trace_id, span_id FROM ${rows} WHERE ${where}`] : sealed
}

/** By trace and span: a span that a record was written in began at most an hour before or after it. */
async function operationsOfLogs(scope: Scope, window: TimeWindow): Promise<Map<string, string>> {
  const inTime = inRanges('start_ns', [around(window)])
  const selects = scope.units.map((unit) => {
    const sealed = unit.file
      ? `(trace_no, span_id) IN (SELECT t.trace_no, l.span_id FROM drawn_logs l
           JOIN ${unit.file.alias}.traces t ON t.trace_id = l.trace_id)`
      : 'false'
    const open = '(trace_id, span_id) IN (SELECT trace_id, span_id FROM drawn_logs)'
    return selectSpans(unit, 'summary', `${inTime} AND ${sealed}`, `${inTime} AND ${open}`)
  })
  const rows = await scope.session.rows(selects.filter((select) => select !== '').join(' UNION ALL '), scope.grid)
  return new Map(
    rows.map(summaryOf).map(({ traceId, spanId, operationName }) => [`${traceId}/${spanId}`, operationName]),
  )
}
