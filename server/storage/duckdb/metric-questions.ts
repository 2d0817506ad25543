import type { MetricPoint } from '../../domain/metric-point.ts'
import type { TimeWindow } from '../../domain/time-window.ts'
import { pointValueOf } from './point-rows.ts'
import { type HourUnit, openRows, type Scope } from './scope.ts'
import type { Row } from './session.ts'
import { attributesOf, openOrigins } from './span-rows-read.ts'

export async function metricPoints(
  scope: Scope,
  name: string,
  window: TimeWindow,
  limit: number,
): Promise<MetricPoint[]> {
  const inWindow = `time_ns >= ${window.startNs} AND time_ns < ${window.endNs}`
  const parts = scope.units.flatMap((unit) => selectPoints(unit, inWindow))
  if (parts.length === 0) return []
  const sql = `SELECT * FROM (${parts.join(' UNION ALL ')}) ORDER BY time_ns, series LIMIT ${limit}`
  const rows = await scope.session.rows(sql, { ...scope.grid, name })
  return rows.map(pointOf)
}

const OWN = 'time_ns, start_ns, flags, number, detail, metric'

function selectPoints(unit: HourUnit, inWindow: string): string[] {
  const parts: string[] = []
  if (unit.file) {
    const { alias } = unit.file
    parts.push(`SELECT ${OWN}, r.series, r.attributes, v.name AS service, g.resource, g.scope_name, g.scope_version
      FROM (SELECT * FROM ${alias}.series WHERE name = $name) r JOIN ${alias}.points p USING (series_no)
      JOIN ${alias}.origins g USING (origin_no) JOIN ${alias}.names v ON v.name_no = g.service_no WHERE ${inWindow}`)
  }
  const rows = openRows(unit, 'points')
  if (rows)
    parts.push(`SELECT ${OWN}, p.series, p.attributes, g.service, g.resource, g.scope_name, g.scope_version
      FROM (SELECT * FROM ${rows} WHERE json_extract_string(metric, '/name') = $name AND ${inWindow}) p
      JOIN ${openOrigins(unit)} g USING (origin)`)
  return parts
}

function pointOf(row: Row): MetricPoint {
  const metric = JSON.parse(row['metric'] as string) as Pick<
    MetricPoint,
    'name' | 'description' | 'unit' | 'type' | 'temporality' | 'monotonic'
  >
  return {
    ...metric,
    startNs: row['start_ns'] as bigint,
    timeNs: row['time_ns'] as bigint,
    flags: row['flags'] as number,
    value: pointValueOf(row['number'] as number, row['detail'] as string),
    attributes: attributesOf(row['attributes']),
    serviceName: row['service'] as string,
    resource: attributesOf(row['resource']),
    scopeName: row['scope_name'] as string,
    scopeVersion: row['scope_version'] as string,
  }
}
