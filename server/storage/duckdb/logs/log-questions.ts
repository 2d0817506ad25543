import type { LogRecord } from '../../../domain/log-record.ts'
import { logTemplate } from '../../../domain/log-template.ts'
import type { TimeWindow } from '../../../domain/time-window.ts'
import type { LogCounts } from '../../diagnostics-reader.ts'
import type { Row } from '../engine/session.ts'
import type { HourUnit } from '../scope/asked-files.ts'
import { inRanges, minuteOfColumn } from '../scope/minute-ranges.ts'
import { openRows, type Scope } from '../scope/scope.ts'
import { attributesOf, hexOfNumber, hexOfUuid, openOrigins } from '../traces/span-rows-read.ts'

const OWN = `id::VARCHAR AS id, trace_id::VARCHAR AS trace_id, span_id, time_ns, observed_ns, severity, flags, dropped,
  severity_text, body, event_name, attributes, template`
export const NO_TRACE = '0'.repeat(32)

export async function traceLogs(scope: Scope, traceId: string, limit: number): Promise<LogRecord[]> {
  if (traceId === NO_TRACE) return []
  return await logsWhere(scope, 'trace_id = $trace::UUID', { trace: traceId }, limit)
}

export async function logsInWindow(scope: Scope, window: TimeWindow, limit: number): Promise<LogRecord[]> {
  return await logsWhere(scope, `time_ns >= ${window.startNs} AND time_ns < ${window.endNs}`, {}, limit)
}

async function logsWhere(
  scope: Scope,
  where: string,
  parameters: Record<string, string>,
  limit: number,
): Promise<LogRecord[]> {
  const parts = scope.units.flatMap((unit) => selectLogs(unit, where))
  if (parts.length === 0) return []
  const sql = `SELECT * FROM (${parts.join(' UNION ALL ')}) ORDER BY time_ns, id LIMIT ${limit}`
  const rows = await scope.session.rows(sql, { ...scope.grid, ...parameters })
  return rows.map(logOf)
}

/** Log records of a unit that meet a condition, sealed and open. */
export function selectLogs(unit: HourUnit, where: string): string[] {
  const rows = openRows(unit, 'logs')
  return selectLogsFrom(unit, unit.file && `${unit.file.alias}.logs WHERE ${where}`, rows && `${rows} WHERE ${where}`)
}

/** Whole records from rows of a unit: sealed ones and open ones, as what stands behind FROM. */
export function selectLogsFrom(unit: HourUnit, sealed: string | undefined, open: string | undefined): string[] {
  const parts: string[] = []
  if (unit.file && sealed) {
    const { alias } = unit.file
    parts.push(`SELECT ${OWN}, v.name AS service, g.resource, g.scope_name, g.scope_version
      FROM (SELECT * FROM ${sealed}) l JOIN ${alias}.origins g USING (origin_no)
      JOIN ${alias}.names v ON v.name_no = g.service_no LEFT JOIN ${alias}.templates USING (template_no)`)
  }
  if (open)
    parts.push(`SELECT ${OWN}, g.service, g.resource, g.scope_name, g.scope_version
      FROM (SELECT * FROM ${open}) l JOIN ${openOrigins(unit)} g USING (origin)`)
  return parts
}

/** Columns of a unit's log records that meet a condition, without what they come from. */
export function selectKeys(unit: HourUnit, where: string, columns: string): string[] {
  const sealed = unit.file ? [`SELECT ${columns} FROM ${unit.file.alias}.logs WHERE ${where}`] : []
  const rows = openRows(unit, 'logs')
  return rows ? [...sealed, `SELECT ${columns} FROM ${rows} WHERE ${where}`] : sealed
}

export function logOf(row: Row): LogRecord {
  const traceId = hexOfUuid(row['trace_id'])
  return {
    id: hexOfUuid(row['id']),
    timeNs: row['time_ns'] as bigint,
    severityNumber: row['severity'] as number,
    body: row['body'] as string,
    template: (row['template'] as string | null) ?? logTemplate(row['body'] as string),
    traceId: traceId === NO_TRACE ? '' : traceId,
    spanId: row['span_id'] === 0n ? '' : hexOfNumber(row['span_id']),
    serviceName: row['service'] as string,
    attributes: attributesOf(row['attributes']),
    observedNs: row['observed_ns'] as bigint,
    severityText: row['severity_text'] as string,
    eventName: row['event_name'] as string,
    flags: row['flags'] as number,
    droppedAttributes: row['dropped'] as number,
    resource: attributesOf(row['resource']),
    scopeName: row['scope_name'] as string,
    scopeVersion: row['scope_version'] as string,
  }
}

/** What OTLP calls ERROR, in its numbers; FATAL is above. */
const SEVERITY_ERROR = 17

export async function logCounts(scope: Scope, window: TimeWindow): Promise<LogCounts[]> {
  const inTime = inRanges('time_ns', [window])
  const parts = scope.units.flatMap((unit) => {
    const sealed = unit.file
      ? [
          `SELECT v.name AS service, minute_ns, records, errors FROM (
             SELECT service_no, ${COUNTED} FROM ${unit.file.alias}.logs WHERE ${inTime} GROUP BY ALL) l
           JOIN ${unit.file.alias}.names v ON v.name_no = l.service_no`,
        ]
      : []
    const rows = openRows(unit, 'logs', 'origin, time_ns, severity')
    if (!rows) return sealed
    return [
      ...sealed,
      `SELECT g.service, ${COUNTED} FROM ${rows} l JOIN ${openOrigins(unit)} g USING (origin) WHERE ${inTime} GROUP BY ALL`,
    ]
  })
  if (parts.length === 0) return []
  const rows = await scope.session.rows(
    `SELECT service, minute_ns, sum(records)::DOUBLE AS records, sum(errors)::DOUBLE AS errors
     FROM (${parts.join(' UNION ALL ')}) GROUP BY service, minute_ns`,
    scope.grid,
  )
  return rows.map((row) => ({
    serviceName: row['service'] as string,
    minuteNs: row['minute_ns'] as bigint,
    recordCount: row['records'] as number,
    errorCount: row['errors'] as number,
  }))
}

const COUNTED = `${minuteOfColumn('time_ns')} AS minute_ns, count(*) AS records,
  count(*) FILTER (severity >= ${SEVERITY_ERROR}) AS errors`
