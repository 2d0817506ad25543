import { type LogRecord, SEVERITY_LEVELS, type SeverityLevel, severityLevelOf } from '../../../domain/log-record.ts'
import { logTemplate } from '../../../domain/log-template.ts'
import type { LogFilter, LogPattern } from '../../telemetry-store.ts'
import type { Row } from '../engine/session.ts'
import { hourOf } from '../layout.ts'
import type { HourUnit } from '../scope/asked-files.ts'
import type { Scope } from '../scope/scope.ts'
import { openOrigins } from '../traces/span-rows-read.ts'
import { logParameters, openMatches, sealedMatches } from './log-conditions.ts'
import { logOf, selectLogsFrom } from './log-questions.ts'

/** The rank of a severity's level, as `severityLevelOf` has it. */
const LEVEL = `CASE WHEN severity BETWEEN 1 AND 24 THEN (severity - 1) // 4 ELSE ${SEVERITY_LEVELS.indexOf('Information')} END`
const SUMS = 'count(*) AS records, min(time_ns) AS first_ns, max(time_ns) AS last_ns'

export async function logPatterns(scope: Scope, filter: LogFilter, limit: number): Promise<LogPattern[]> {
  const parts: string[] = []
  for (const unit of scope.units) parts.push(...(await patternsIn(scope, unit, filter)))
  if (parts.length === 0) return []
  const rows = await scope.session.rows(
    `SELECT service, level::INTEGER AS level, template, body, sum(records)::DOUBLE AS records, min(first_ns) AS first_ns,
       max(last_ns) AS last_ns
     FROM (${parts.join(' UNION ALL ')}) GROUP BY service, level, template, body
     ORDER BY records DESC, max(last_ns) DESC LIMIT ${limit}`,
    logParameters(scope, filter),
  )
  return addedUp(rows.map(patternOf))
}

/** Records of an earlier program have no template: of those the body tells. */
async function patternsIn(scope: Scope, unit: HourUnit, filter: LogFilter): Promise<string[]> {
  const parts: string[] = []
  const sealed = await sealedMatches(scope, unit, filter)
  if (unit.file && sealed) {
    const { alias } = unit.file
    const [old] = await scope.session.rows(`SELECT 1 FROM ${alias}.logs WHERE template_no IS NULL LIMIT 1`)
    const body = old ? 'CASE WHEN template_no IS NULL THEN body END' : 'NULL::VARCHAR'
    parts.push(`SELECT v.name AS service, level, t.template, body, records, first_ns, last_ns FROM (
        SELECT service_no, template_no, ${LEVEL} AS level, ${body} AS body, ${SUMS} FROM ${sealed} GROUP BY ALL) l
      JOIN ${alias}.names v ON v.name_no = l.service_no LEFT JOIN ${alias}.templates t USING (template_no)`)
  }
  const open = openMatches(unit, filter)
  if (open)
    parts.push(`SELECT g.service, level, template, body, records, first_ns, last_ns FROM (
        SELECT origin, template, ${LEVEL} AS level, CASE WHEN template IS NULL THEN body END AS body, ${SUMS}
        FROM ${open} GROUP BY ALL) l JOIN ${openOrigins(unit)} g USING (origin)`)
  return parts
}

function patternOf(row: Row): LogPattern {
  return {
    serviceName: row['service'] as string,
    severityLevel: SEVERITY_LEVELS[row['level'] as number] as SeverityLevel,
    template: (row['template'] as string | null) ?? logTemplate(row['body'] as string),
    recordCount: row['records'] as number,
    firstNs: row['first_ns'] as bigint,
    lastNs: row['last_ns'] as bigint,
  }
}

/** Patterns that were told of by several bodies are put together. */
function addedUp(patterns: LogPattern[]): LogPattern[] {
  const known = new Map<string, LogPattern>()
  for (const pattern of patterns) {
    const first = known.get(keyOf(pattern))
    if (!first) known.set(keyOf(pattern), pattern)
    else {
      first.recordCount += pattern.recordCount
      if (pattern.firstNs < first.firstNs) first.firstNs = pattern.firstNs
      if (pattern.lastNs > first.lastNs) first.lastNs = pattern.lastNs
    }
  }
  return [...known.values()].sort((a, b) => b.recordCount - a.recordCount || (a.lastNs < b.lastNs ? 1 : -1))
}

export async function newestOfPatterns(
  scope: Scope,
  filter: LogFilter,
  patterns: LogPattern[],
): Promise<(LogRecord | undefined)[]> {
  const parts: string[] = []
  for (const unit of scope.units) {
    const times = patterns.map(({ lastNs }) => lastNs).filter((ns) => hourOf(ns) === unit.hour)
    if (times.length === 0) continue
    const at = ` AND time_ns IN (${times.join(', ')})`
    const [sealed, open] = [await sealedMatches(scope, unit, filter), openMatches(unit, filter)]
    parts.push(...selectLogsFrom(unit, sealed && sealed + at, open && open + at))
  }
  if (parts.length === 0) return patterns.map(() => undefined)
  const sql = `SELECT * FROM (${parts.join(' UNION ALL ')}) ORDER BY id`
  const logs = (await scope.session.rows(sql, logParameters(scope, filter))).map(logOf)
  const found = new Map<string, LogRecord>()
  for (const log of logs) {
    const key = `${keyOf({ ...log, severityLevel: severityLevelOf(log.severityNumber) })} ${log.timeNs}`
    if (!found.has(key)) found.set(key, log)
  }
  return patterns.map((pattern) => found.get(`${keyOf(pattern)} ${pattern.lastNs}`))
}

function keyOf({
  serviceName,
  severityLevel,
  template,
}: Pick<LogPattern, 'serviceName' | 'severityLevel' | 'template'>): string {
  return JSON.stringify([serviceName, severityLevel, template])
}
