import { logTemplate } from '../../../domain/log-template.ts'
import type { TimeWindow } from '../../../domain/time-window.ts'
import type { LogInSpan } from '../../diagnostics-reader.ts'
import { type ChunkCells, joinedTexts } from '../engine/chunk-cells.ts'
import { NO_TRACE, selectKeys } from '../logs/log-questions.ts'
import type { HourUnit } from '../scope/asked-files.ts'
import { inRanges } from '../scope/minute-ranges.ts'
import { openRows, type Scope } from '../scope/scope.ts'
import { isDrawn } from '../seal/drawn-lot.ts'
import { ParsedAttributes } from '../traces/parsed-attributes.ts'
import { openOrigins } from '../traces/span-rows-read.ts'
import { around } from './sample-questions.ts'

const NO_SPAN = '0'.repeat(16)

export async function sampleLogs(
  scope: Scope,
  window: TimeWindow,
  oneTraceIn: number,
  limit: number,
): Promise<LogInSpan[]> {
  const drawn = isDrawn(`CASE WHEN trace_id = '${NO_TRACE}'::UUID THEN id ELSE trace_id END`, oneTraceIn)
  const where = `${inRanges('time_ns', [window])} AND ${drawn}`
  const parts = scope.units.flatMap((unit) => selectKeys(unit, where, 'id, trace_id, span_id'))
  if (parts.length === 0) return []
  // Chosen by what is small, and then read.
  await scope.session.run(
    `CREATE OR REPLACE TEMP TABLE drawn_logs AS
     SELECT * FROM (${parts.join(' UNION ALL ')}) ORDER BY hash(id), id LIMIT ${limit}`,
    scope.grid,
  )
  const operations = await operationsOfLogs(scope, window)
  const isChosen = `${inRanges('time_ns', [window])} AND id IN (SELECT id FROM drawn_logs)`
  const logs: LogInSpan[] = []
  const attributes = new ParsedAttributes()
  await scope.session.cells(
    `SELECT id, trace_id, span_id, time_ns, severity, ${joinedTexts(TEXTS)}
     FROM (${scope.units.flatMap((unit) => selectSayings(unit, isChosen)).join(' UNION ALL ')}) ORDER BY time_ns, id`,
    (cells) => addLogs(cells, operations, attributes, logs),
    scope.grid,
  )
  return logs
}

/** Templates are missing in logs of an earlier program. */
const TEXTS = ['service', "coalesce(template, '')", 'attributes', 'body']

/** What the records of a unit say that meet a condition, sealed and open, without what else is known of where they come from. */
function selectSayings(unit: HourUnit, where: string): string[] {
  const columns = 'id, trace_id, span_id, time_ns, severity, body, attributes, template'
  const parts: string[] = []
  if (unit.file) {
    const { alias } = unit.file
    parts.push(`SELECT ${columns}, v.name AS service FROM (SELECT * FROM ${alias}.logs WHERE ${where}) l
      JOIN ${alias}.names v ON v.name_no = l.service_no LEFT JOIN ${alias}.templates USING (template_no)`)
  }
  const rows = openRows(unit, 'logs')
  if (rows)
    parts.push(`SELECT ${columns}, g.service FROM (SELECT * FROM ${rows} WHERE ${where}) l
      JOIN ${openOrigins(unit)} g USING (origin)`)
  return parts
}

function addLogs(
  cells: ChunkCells,
  operations: Map<string, string>,
  attributes: ParsedAttributes,
  logs: LogInSpan[],
): void {
  const [id, trace, span] = [cells.uuids(0), cells.uuids(1), cells.ids(2)]
  const [timeNs, severity] = [cells.bigints(3), cells.bytes(4)]
  const texts = cells.texts(5, TEXTS.length)
  for (let row = 0; row < cells.rows; row++) {
    const [serviceName = '', template = '', own = '', body = ''] = texts(row)
    const [traceId, spanId] = [trace(row), span(row)]
    logs.push({
      id: id(row),
      timeNs: timeNs[row] as bigint,
      severityNumber: severity[row] as number,
      body,
      template: template === '' ? logTemplate(body) : template,
      traceId: traceId === NO_TRACE ? '' : traceId,
      spanId: spanId === NO_SPAN ? '' : spanId,
      serviceName,
      attributes: attributes.of(own),
      operationName: operations.get(traceId + spanId) ?? '',
    })
  }
}

/** By trace and span: a span that a record was written in began at most an hour before or after it. */
async function operationsOfLogs(scope: Scope, window: TimeWindow): Promise<Map<string, string>> {
  const inTime = inRanges('start_ns', [around(window)])
  const parts = scope.units.flatMap((unit) => {
    const sealed = unit.file
      ? [
          `SELECT l.trace_id, span_id, o.name AS operation FROM (
             SELECT DISTINCT t.trace_no, l.trace_id, l.span_id FROM drawn_logs l JOIN ${unit.file.alias}.traces t USING (trace_id)) l
           JOIN (SELECT trace_no, span_id, operation_no FROM ${unit.file.alias}.spans WHERE ${inTime}) s USING (trace_no, span_id)
           JOIN ${unit.file.alias}.names o ON o.name_no = s.operation_no`,
        ]
      : []
    const rows = openRows(unit, 'spans', 'trace_id, span_id, start_ns, operation')
    if (!rows) return sealed
    return [
      ...sealed,
      `SELECT trace_id, span_id, operation FROM ${rows}
       WHERE ${inTime} AND (trace_id, span_id) IN (SELECT trace_id, span_id FROM drawn_logs)`,
    ]
  })
  const operations = new Map<string, string>()
  await scope.session.cells(
    `SELECT trace_id, span_id, ${joinedTexts(['operation'])} FROM (${parts.join(' UNION ALL ')})`,
    (cells) => {
      const [trace, span, texts] = [cells.uuids(0), cells.ids(1), cells.texts(2, 1)]
      for (let row = 0; row < cells.rows; row++) operations.set(trace(row) + span(row), texts(row)[0] as string)
    },
    scope.grid,
  )
  return operations
}
