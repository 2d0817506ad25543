import { spanKindOf } from '../../domain/span.ts'
import { NS_PER_HOUR, type TimeWindow } from '../../domain/time-window.ts'
import type { CallGaps, LogInSpan, SpanShape } from '../diagnostics-reader.ts'
import { logOf, selectLogs } from './log-questions.ts'
import { inRanges, minuteOfColumn } from './minute-ranges.ts'
import { around } from './sample-questions.ts'
import { type HourUnit, openRows, type Scope } from './scope.ts'
import { hexOfUuid, openOrigins, selectSpans, summaryOf } from './span-rows-read.ts'

/** As spans are stored: calls, and what sends messages. */
const CLIENT = 3
const CONSUMER = 5
const CALLS = '(3, 4)'
/** Numbers that mean nothing are read as internal. */
const KIND = 'CASE WHEN s.kind BETWEEN 2 AND 5 THEN s.kind ELSE 1 END'

export async function spanShapes(
  scope: Scope,
  window: TimeWindow,
  oneTraceIn: number,
  limit: number,
): Promise<SpanShape[]> {
  if (!(await drawSpans(scope, window, oneTraceIn))) return []
  const rows = await scope.session.rows(
    `WITH below AS (
       SELECT trace_id, parent_id, service, list_sort(list(DISTINCT operation)) AS steps
       FROM drawn_spans GROUP BY ALL)
     SELECT s.service, s.operation, ${KIND} AS kind, ${minuteOfColumn('s.start_ns')} AS minute_ns,
       coalesce(to_json(b.steps)::VARCHAR, '[]') AS steps, count(*)::DOUBLE AS spans, min(s.trace_id)::VARCHAR AS trace_id
     FROM drawn_spans s LEFT JOIN below b
       ON b.trace_id = s.trace_id AND b.parent_id = s.span_id AND b.service = s.service
     WHERE ${inRanges('s.start_ns', [window])} AND s.kind NOT IN ${CALLS}
     GROUP BY s.service, s.operation, ${KIND}, minute_ns, b.steps ORDER BY spans DESC LIMIT ${limit}`,
  )
  // Many shapes have the same steps: each text is read once.
  const stepsOf = new Map<string, string[]>()
  const steps = (json: string) => {
    const known = stepsOf.get(json) ?? (JSON.parse(json) as string[]).sort((a, b) => (a < b ? -1 : 1))
    stepsOf.set(json, known)
    return known
  }
  return rows.map((row) => ({
    serviceName: row['service'] as string,
    operationName: row['operation'] as string,
    kind: spanKindOf(row['kind'] as number),
    minuteNs: row['minute_ns'] as bigint,
    steps: steps(row['steps'] as string),
    spanCount: row['spans'] as number,
    traceId: hexOfUuid(row['trace_id']),
  }))
}

export async function callGaps(
  scope: Scope,
  window: TimeWindow,
  oneTraceIn: number,
  perMinute: number,
): Promise<CallGaps[]> {
  if (!(await drawSpans(scope, window, oneTraceIn))) return []
  const rows = await scope.session.rows(
    `WITH answers AS (
       SELECT trace_id, parent_id, service, max(duration_ns) AS duration_ns
       FROM drawn_spans WHERE kind <> ${CONSUMER} GROUP BY ALL),
     gaps AS (
       SELECT c.service AS source, a.service AS target, ${minuteOfColumn('c.start_ns')} AS minute_ns,
         greatest(0, c.duration_ns - a.duration_ns)::DOUBLE AS gap, c.trace_id,
         hash(c.trace_id, c.span_id) AS lot
       FROM drawn_spans c JOIN answers a
         ON a.trace_id = c.trace_id AND a.parent_id = c.span_id AND a.service <> c.service
       WHERE c.kind = ${CLIENT} AND ${inRanges('c.start_ns', [window])})
     SELECT source, target, minute_ns, count(*)::DOUBLE AS calls, list(gap ORDER BY lot)[1:${perMinute}] AS gaps,
       first(trace_id ORDER BY gap DESC, trace_id)::VARCHAR AS trace_id
     FROM gaps GROUP BY source, target, minute_ns`,
  )
  return rows.map((row) => ({
    sourceName: row['source'] as string,
    targetName: row['target'] as string,
    minuteNs: row['minute_ns'] as bigint,
    callCount: row['calls'] as number,
    gapsNs: (row['gaps'] as unknown as { items: number[] }).items.toSorted((a, b) => a - b),
    traceId: hexOfUuid(row['trace_id']),
  }))
}

/** Makes the table `drawn_spans`, with those that began up to an hour after the window; false where there is nothing. */
async function drawSpans(scope: Scope, window: TimeWindow, oneTraceIn: number): Promise<boolean> {
  const near = inRanges('start_ns', [{ startNs: window.startNs, endNs: window.endNs + NS_PER_HOUR }])
  const parts = scope.units.flatMap((unit) => drawnSpans(unit, near, oneTraceIn))
  if (parts.length === 0) return false
  await scope.session.run(`CREATE OR REPLACE TEMP TABLE drawn_spans AS ${parts.join(' UNION ALL ')}`, scope.grid)
  return true
}

function drawnSpans(unit: HourUnit, inTime: string, oneTraceIn: number): string[] {
  const parts: string[] = []
  if (unit.file) {
    const { alias } = unit.file
    parts.push(`SELECT t.trace_id, s.span_id, s.parent_id, s.start_ns, s.duration_ns, s.kind, v.name AS service, o.name AS operation
      FROM (SELECT * FROM ${alias}.traces WHERE ${isDrawn('trace_id', oneTraceIn)}) t
      JOIN (SELECT trace_no, span_id, parent_id, start_ns, duration_ns, kind, service_no, operation_no FROM ${alias}.spans
        WHERE ${inTime}) s ON s.trace_no = t.trace_no
      JOIN ${alias}.names v ON v.name_no = s.service_no
      JOIN ${alias}.names o ON o.name_no = s.operation_no`)
  }
  const rows = openRows(unit, 'spans', 'trace_id, span_id, parent_id, start_ns, duration_ns, kind, operation, origin')
  if (rows)
    parts.push(`SELECT trace_id, span_id, parent_id, start_ns, duration_ns, kind, g.service, operation
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
