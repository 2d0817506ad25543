import type { SpanStatus } from '../../../domain/span.ts'
import type { TraceFilterOptions } from '../../telemetry-store.ts'
import { openRows, type Scope } from '../scope/scope.ts'
import { keySets, keysOf } from '../seal/seal-spans.ts'
import { openOrigins } from './span-rows-read.ts'

/** A sender that names its services at random must not fill the memory with them. */
export const SERVICES_MAX = 10_000

/** What the data can be filtered by: from the counts that each sealing noted, and from the rows that are not sealed yet. */
export async function traceFilterOptions(scope: Scope, limit: number): Promise<TraceFilterOptions> {
  const parts = scope.units.flatMap((unit) => {
    const sealed = unit.file ? [`SELECT kind, name, uses FROM ${unit.file.alias}.usage`] : []
    const rows = openRows(unit, 'spans', 'origin, operation, status, attributes, key_set')
    return rows ? [...sealed, usageOfOpen(rows, openOrigins(unit))] : sealed
  })
  const names = await mostUsed(scope, parts, {
    service: SERVICES_MAX,
    operation: limit,
    status: SERVICES_MAX,
    key: limit,
  })
  return {
    serviceNames: names('service'),
    operationNames: names('operation'),
    statusValues: (['OK', 'ERROR'] as SpanStatus[]).filter((status) => names('status').includes(status)),
    tagKeys: names('key'),
  }
}

/** The names of each kind that are used most, sorted by name. The parts select kinds, names and uses; `limits` has the kinds. */
export async function mostUsed(
  scope: Scope,
  parts: string[],
  limits: Record<string, number>,
): Promise<(kind: string) => string[]> {
  if (parts.length === 0) return () => []
  const kinds = Object.keys(limits).map((kind) => `'${kind}'`)
  const cases = Object.entries(limits).map(([kind, limit]) => `WHEN '${kind}' THEN ${limit}`)
  const rows = await scope.session.rows(
    `SELECT kind, name FROM (${parts.join(' UNION ALL ')}) WHERE kind IN (${kinds.join(', ')}) GROUP BY kind, name
     QUALIFY row_number() OVER (PARTITION BY kind ORDER BY sum(uses) DESC, name) <= CASE kind ${cases.join(' ')} END`,
    scope.grid,
  )
  return (kind) =>
    rows
      .filter((row) => row['kind'] === kind)
      .map((row) => row['name'] as string)
      .sort(byCodeUnits)
}

function usageOfOpen(rows: string, origins: string): string {
  return `SELECT 'operation' AS kind, operation AS name, count(*) AS uses FROM ${rows} GROUP BY ALL UNION ALL
    SELECT 'status', CASE WHEN status = 2 THEN 'ERROR' ELSE 'OK' END, count(*) FROM ${rows} GROUP BY ALL UNION ALL
    SELECT 'service', g.service, count(*) FROM ${rows} s JOIN ${origins} g USING (origin) GROUP BY ALL UNION ALL
    SELECT 'key', ${keysOf('attributes')}, uses FROM (${keySets(`${rows} s`)}) UNION ALL
    SELECT 'key', ${keysOf('resource')}, uses FROM (
      SELECT g.resource, count(*) AS uses FROM ${rows} s JOIN ${origins} g USING (origin) GROUP BY g.origin, g.resource)`
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
