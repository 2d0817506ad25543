import type { MetricPoint } from '../../../domain/metric-point.ts'
import { NS_PER_HOUR, type TimeWindow } from '../../../domain/time-window.ts'
import type { MetricTraits } from '../../chart-reader.ts'
import type { Row } from '../engine/session.ts'
import { hourOfColumn } from '../layout.ts'
import type { HourUnit } from '../scope/asked-files.ts'
import { inHours, inRanges } from '../scope/minute-ranges.ts'
import type { Scope } from '../scope/scope.ts'
import { openPoints } from './metric-cells.ts'

export async function metricTraits(scope: Scope, name: string, window: TimeWindow): Promise<MetricTraits | undefined> {
  const rolled = await newestRolledTraits(scope, name)
  for (const unit of scope.units) {
    if (rolled && unit.hour < rolled.hour) break
    const parts = pointsOf(unit, inRanges('time_ns', [window]))
    if (parts.length === 0) continue
    const [row] = await scope.session.rows(
      `SELECT max_by(metric, (time_ns, metric)) AS metric, quantile_disc(gap, 0.5) AS gap FROM (
         SELECT metric, time_ns, time_ns - lag(time_ns) OVER (PARTITION BY series ORDER BY time_ns) AS gap
         FROM (${parts.join(' UNION ALL ')})) HAVING count(*) > 0`,
      { ...scope.grid, name },
    )
    if (row) return traitsOf(row)
  }
  return rolled?.traits
}

function pointsOf(unit: HourUnit, inTime: string): string[] {
  const open = openPoints(unit, inTime, { group: "''", where: 'true' })
  const parts = open === undefined ? [] : [`SELECT series, metric, time_ns FROM (${open})`]
  if (!unit.file) return parts
  const { alias } = unit.file
  return [
    `SELECT series, metric, time_ns FROM (SELECT series_no, series, metric FROM ${alias}.series WHERE name = $name)
       JOIN ${alias}.points USING (series_no) WHERE ${inTime}`,
    ...parts,
  ]
}

interface RolledTraits {
  hour: number
  traits: MetricTraits
}

/** Of the newest hour that has points of the metric, among those that are rolled up. */
async function newestRolledTraits({ session, days }: Scope, name: string): Promise<RolledTraits | undefined> {
  for (const { file, hours } of days) {
    const cells = ['numbers_1h', 'distributions_1h'].map(
      (table) => `SELECT metric, points, first_ns, last_ns FROM ${file.alias}.${table}
        JOIN (SELECT series_no, metric FROM ${file.alias}.series WHERE name = $name) USING (series_no)
        WHERE ${inHours('first_ns', hours)}`,
    )
    const [row] = await session.rows(
      `SELECT ${hourOfColumn('first_ns')} AS hour, max_by(metric, (last_ns, metric)) AS metric,
         quantile_disc((last_ns - first_ns) // (points::BIGINT - 1), 0.5) FILTER (points > 1) AS gap
       FROM (${cells.join(' UNION ALL ')}) GROUP BY hour ORDER BY hour DESC LIMIT 1`,
      { name },
    )
    if (row) return { hour: row['hour'] as number, traits: traitsOf(row) }
  }
  return undefined
}

function traitsOf(row: Row): MetricTraits {
  const { unit, type, temporality, monotonic } = JSON.parse(row['metric'] as string) as MetricPoint
  return { unit, type, temporality, monotonic, intervalNs: (row['gap'] as bigint | null) ?? NS_PER_HOUR }
}
