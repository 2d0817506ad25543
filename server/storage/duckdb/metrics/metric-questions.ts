import type { MetricPoint } from '../../../domain/metric-point.ts'
import type { TimeWindow } from '../../../domain/time-window.ts'
import type { Row } from '../engine/session.ts'
import type { HourUnit } from '../scope/asked-files.ts'
import { inRanges } from '../scope/minute-ranges.ts'
import { openRows, type Scope } from '../scope/scope.ts'
import { attributesOf, openOrigins } from '../traces/span-rows-read.ts'
import { pointValueOf } from '../write/point-rows.ts'
import { unitsWithMetrics } from './units-with-metrics.ts'

export async function metricPoints(
  scope: Scope,
  name: string,
  window: TimeWindow,
  limit: number,
): Promise<MetricPoint[]> {
  return await pointsWhere(scope, [name], window, `ORDER BY time_ns, series LIMIT ${limit}`)
}

/** The newest ones where there are more than the limit, ascending by time. */
export async function pointsOf(
  scope: Scope,
  names: string[],
  window: TimeWindow,
  limit: number,
): Promise<MetricPoint[]> {
  const points = await pointsWhere(scope, names, window, `ORDER BY time_ns DESC, series DESC LIMIT ${limit}`)
  return points.reverse()
}

/** What the points of a series have in common is read and parsed once: an hour of one series has hundreds of points. */
async function pointsWhere(scope: Scope, names: string[], window: TimeWindow, order: string): Promise<MetricPoint[]> {
  const inWindow = inRanges('time_ns', [window])
  const units = await unitsWithMetrics(scope, names)
  const series = units.flatMap((unit) => selectSeries(unit, inWindow))
  if (series.length === 0) return []
  await scope.session.run(
    `CREATE OR REPLACE TEMP TABLE asked_series AS SELECT row_number() OVER () - 1 AS n, * FROM (
       SELECT DISTINCT ON (series, metric) * FROM (${series.join(' UNION ALL ')}))`,
    { ...scope.grid, names: JSON.stringify(names) },
  )
  const asked = (await scope.session.rows('SELECT * EXCLUDE (n, series) FROM asked_series ORDER BY n')).map(seriesOf)
  if (asked.length === 0) return []
  const points = units.flatMap((unit) => selectPoints(unit, inWindow))
  const rows = await scope.session.rows(
    `SELECT * EXCLUDE (series) FROM (${points.join(' UNION ALL ')}) ${order}`,
    scope.grid,
  )
  return rows.map((row) => pointOf(asked[Number(row['n'])] as Series, row))
}

export async function metricNames(scope: Scope, window: TimeWindow): Promise<string[]> {
  const inTime = inRanges('time_ns', [window])
  const parts = scope.units.flatMap((unit) => {
    const sealed = unit.file
      ? [
          `SELECT DISTINCT name FROM ${unit.file.alias}.series WHERE series_no IN (
             SELECT series_no FROM ${unit.file.alias}.points WHERE ${inTime})`,
        ]
      : []
    const rows = openRows(unit, 'points', 'metric, time_ns')
    if (!rows) return sealed
    return [...sealed, `SELECT DISTINCT json_extract_string(metric, '/name') AS name FROM ${rows} WHERE ${inTime}`]
  })
  if (parts.length === 0) return []
  const rows = await scope.session.rows(`SELECT DISTINCT name FROM (${parts.join(' UNION ALL ')})`, scope.grid)
  return rows.map((row) => row['name'] as string).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
}

const ASKED_NAMES = "(SELECT unnest(json_extract_string($names::JSON, '$[*]')))"

function selectSeries(unit: HourUnit, inWindow: string): string[] {
  const parts: string[] = []
  if (unit.file) {
    const { alias } = unit.file
    parts.push(`SELECT r.series, r.metric, r.attributes, v.name AS service, g.resource, g.scope_name, g.scope_version
      FROM (SELECT * FROM ${alias}.series WHERE name IN ${ASKED_NAMES}) r
      JOIN ${alias}.origins g USING (origin_no) JOIN ${alias}.names v ON v.name_no = g.service_no`)
  }
  const rows = openRows(unit, 'points')
  if (rows)
    parts.push(`SELECT p.series, p.metric, p.attributes, g.service, g.resource, g.scope_name, g.scope_version
      FROM (SELECT DISTINCT series, metric, attributes, origin FROM ${rows}
        WHERE json_extract_string(metric, '/name') IN ${ASKED_NAMES} AND ${inWindow}) p
      JOIN ${openOrigins(unit)} g USING (origin)`)
  return parts
}

const POINT = 'a.n, a.series, p.time_ns, p.start_ns, p.flags, p.number, p.detail'

function selectPoints(unit: HourUnit, inWindow: string): string[] {
  const parts: string[] = []
  if (unit.file) {
    const { alias } = unit.file
    parts.push(`SELECT ${POINT} FROM ${alias}.series r JOIN asked_series a ON a.series = r.series AND a.metric = r.metric
      JOIN ${alias}.points p USING (series_no) WHERE ${inWindow}`)
  }
  const rows = openRows(unit, 'points')
  if (rows)
    parts.push(`SELECT ${POINT} FROM (SELECT * FROM ${rows} WHERE ${inWindow}) p
      JOIN asked_series a ON a.series = p.series AND a.metric = p.metric`)
  return parts
}

type Series = Omit<MetricPoint, 'startNs' | 'timeNs' | 'flags' | 'value'>

function seriesOf(row: Row): Series {
  const metric = JSON.parse(row['metric'] as string) as Pick<
    MetricPoint,
    'name' | 'description' | 'unit' | 'type' | 'temporality' | 'monotonic'
  >
  return {
    ...metric,
    attributes: attributesOf(row['attributes']),
    serviceName: row['service'] as string,
    resource: attributesOf(row['resource']),
    scopeName: row['scope_name'] as string,
    scopeVersion: row['scope_version'] as string,
  }
}

function pointOf(series: Series, row: Row): MetricPoint {
  return {
    ...series,
    startNs: row['start_ns'] as bigint,
    timeNs: row['time_ns'] as bigint,
    flags: row['flags'] as number,
    value: pointValueOf(row['number'] as number, row['detail'] as string),
  }
}
