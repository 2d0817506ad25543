import type { SpanStatus } from '../../domain/span.ts'
import type { TraceFilterOptions } from '../telemetry-store.ts'
import { openRows, type Scope } from './scope.ts'
import { keySets } from './seal-spans.ts'
import { openOrigins } from './span-rows-read.ts'

/** A sender that names its services at random must not fill the memory with them. */
const SERVICES_MAX = 10_000

/** What the data can be filtered by: from the counts that each sealing noted, and from the rows that are not sealed yet. */
export async function traceFilterOptions(scope: Scope, limit: number): Promise<TraceFilterOptions> {
  const parts = scope.units.flatMap((unit) => {
    const sealed = unit.file ? [`SELECT kind, name, uses FROM ${unit.file.alias}.usage`] : []
    const rows = openRows(unit, 'spans', 'origin, operation, status, attributes, key_set')
    return rows ? [...sealed, usageOfOpen(rows, openOrigins(unit))] : sealed
  })
  if (parts.length === 0) return { serviceNames: [], operationNames: [], statusValues: [], tagKeys: [] }
  const sql = `SELECT kind, name FROM (${parts.join(' UNION ALL ')}) GROUP BY kind, name
    QUALIFY row_number() OVER (PARTITION BY kind ORDER BY sum(uses) DESC, name)
      <= CASE WHEN kind IN ('operation', 'key') THEN ${limit} ELSE ${SERVICES_MAX} END`
  const rows = await scope.session.rows(sql, scope.grid)
  const names = (kind: string) => rows.filter((row) => row['kind'] === kind).map((row) => row['name'] as string)
  return {
    serviceNames: names('service').sort(byCodeUnits),
    operationNames: names('operation').sort(byCodeUnits),
    statusValues: (['OK', 'ERROR'] as SpanStatus[]).filter((status) => names('status').includes(status)),
    tagKeys: names('key').sort(byCodeUnits),
  }
}

function usageOfOpen(rows: string, origins: string): string {
  return `SELECT 'operation' AS kind, operation AS name, count(*) AS uses FROM ${rows} GROUP BY ALL UNION ALL
    SELECT 'status', CASE WHEN status = 2 THEN 'ERROR' ELSE 'OK' END, count(*) FROM ${rows} GROUP BY ALL UNION ALL
    SELECT 'service', g.service, count(*) FROM ${rows} s JOIN ${origins} g USING (origin) GROUP BY ALL UNION ALL
    SELECT 'key', unnest(TRY(json_keys(nullif(attributes, '')))), uses FROM (${keySets(`${rows} s`)}) UNION ALL
    SELECT 'key', unnest(TRY(json_keys(nullif(resource, '')))), uses FROM (
      SELECT g.resource, count(*) AS uses FROM ${rows} s JOIN ${origins} g USING (origin) GROUP BY g.origin, g.resource)`
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
