import { SEVERITY_LEVELS, severityLevelOf } from '../../../domain/log-record.ts'
import type { LogFilterOptions } from '../../telemetry-store.ts'
import { openRows, type Scope } from '../scope/scope.ts'
import { keySets, keysOf } from '../seal/seal-spans.ts'
import { mostUsed, SERVICES_MAX } from '../traces/filter-options.ts'
import { openOrigins } from '../traces/span-rows-read.ts'

/** What logs can be filtered by: from the counts that each sealing noted, and from the rows that are not sealed yet. */
export async function logFilterOptions(scope: Scope, limit: number): Promise<LogFilterOptions> {
  const parts = scope.units.flatMap((unit) => {
    const sealed = unit.file ? [`SELECT kind, name, uses FROM ${unit.file.alias}.usage`] : []
    const rows = openRows(unit, 'logs', 'origin, severity, attributes, key_set')
    return rows ? [...sealed, usageOfOpen(rows, openOrigins(unit))] : sealed
  })
  const names = await mostUsed(scope, parts, {
    'log-service': SERVICES_MAX,
    'log-severity': SERVICES_MAX,
    'log-key': limit,
  })
  const levels = new Set(names('log-severity').map((number) => severityLevelOf(Number(number))))
  return {
    severityLevels: SEVERITY_LEVELS.filter((level) => levels.has(level)),
    serviceNames: names('log-service'),
    attributeKeys: names('log-key'),
  }
}

function usageOfOpen(rows: string, origins: string): string {
  return `SELECT 'log-severity' AS kind, severity::VARCHAR AS name, count(*) AS uses FROM ${rows} GROUP BY ALL UNION ALL
    SELECT 'log-service', g.service, count(*) FROM ${rows} s JOIN ${origins} g USING (origin) GROUP BY ALL UNION ALL
    SELECT 'log-key', ${keysOf('attributes')}, uses FROM (${keySets(`${rows} s`)}) UNION ALL
    SELECT 'log-key', ${keysOf('resource')}, uses FROM (
      SELECT g.resource, count(*) AS uses FROM ${rows} s JOIN ${origins} g USING (origin) GROUP BY g.origin, g.resource)`
}
