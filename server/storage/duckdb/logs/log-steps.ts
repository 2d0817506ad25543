import { severityLevelOf } from '../../../domain/log-record.ts'
import { type LogStep, SERVICE_NAME, SEVERITY, type StepQuestion } from '../../chart-reader.ts'
import { AttributeTexts } from '../figures/attribute-texts.ts'
import type { HourUnit } from '../scope/asked-files.ts'
import { inRanges, stepOfColumn } from '../scope/minute-ranges.ts'
import { openRows, type Scope } from '../scope/scope.ts'
import { openOrigins } from '../traces/span-rows-read.ts'

const NUMBERS = Array.from({ length: 24 }, (_, i) => i + 1)
const SEVERITY_TEXT = `CASE severity ${NUMBERS.map((number) => `WHEN ${number} THEN '${severityLevelOf(number)}'`).join(' ')} ELSE '${severityLevelOf(0)}' END`

export async function logSteps(scope: Scope, question: StepQuestion): Promise<LogStep[]> {
  const { window, stepMinutes, groupBy, filter, serviceName } = question
  const texts = new AttributeTexts({ [SERVICE_NAME]: 'service', [SEVERITY]: SEVERITY_TEXT })
  const group = groupBy === '' ? "''" : `coalesce(${texts.text(groupBy)}, '')`
  const where = [texts.matching(filter)]
  if (serviceName !== undefined) where.push(`service = ${texts.parameter('service', serviceName)}`)
  const parts = scope.units.flatMap((unit) => logsOf(unit, inRanges('time_ns', [window])))
  if (parts.length === 0) return []
  const rows = await scope.session.rows(
    `SELECT ${group} AS grouped, ${stepOfColumn('time_ns', stepMinutes)} AS step_ns, count(*)::DOUBLE AS records
     FROM (${parts.join(' UNION ALL ')}) WHERE ${where.join(' AND ')} GROUP BY ALL`,
    { ...scope.grid, ...texts.parameters },
  )
  return rows.map((row) => ({
    group: row['grouped'] as string,
    stepNs: row['step_ns'] as bigint,
    recordCount: row['records'] as number,
  }))
}

/** What is not asked for is not read: the database leaves such columns out by itself. */
function logsOf(unit: HourUnit, inTime: string): string[] {
  const own = 'time_ns, severity, attributes, g.resource'
  const parts: string[] = []
  if (unit.file) {
    const { alias } = unit.file
    parts.push(`SELECT ${own}, v.name AS service FROM ${alias}.logs l JOIN ${alias}.origins g USING (origin_no)
      JOIN ${alias}.names v ON v.name_no = g.service_no WHERE ${inTime}`)
  }
  const rows = openRows(unit, 'logs', 'origin, time_ns, severity, attributes')
  if (rows)
    parts.push(`SELECT ${own}, g.service FROM ${rows} l JOIN ${openOrigins(unit)} g USING (origin) WHERE ${inTime}`)
  return parts
}
