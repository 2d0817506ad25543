import type { MetricPoint } from '../../domain/metric-point.ts'
import { NS_PER_HOUR, type TimeWindow } from '../../domain/time-window.ts'
import {
  LOOKED_BACK_NS,
  type MetricReading,
  type MetricStep,
  type MetricStepQuestion,
  type MetricTraits,
  SERVICE_NAME,
} from '../chart-reader.ts'
import { distributionSteps } from '../distribution-steps.ts'
import { AttributeTexts } from './attribute-texts.ts'
import { inRanges, stepOfColumn } from './minute-ranges.ts'
import { pointValueOf } from './point-rows.ts'
import { type HourUnit, openRows, type Scope } from './scope.ts'
import type { Row } from './session.ts'
import { openOrigins } from './span-rows-read.ts'

export async function metricTraits(scope: Scope, name: string, window: TimeWindow): Promise<MetricTraits | undefined> {
  for (const unit of scope.units) {
    const parts = pointsOfUnit(unit, inRanges('time_ns', [window]), { group: "''", where: 'true' })
    if (parts.length === 0) continue
    const [row] = await scope.session.rows(
      `SELECT max_by(metric, (time_ns, metric)) AS metric, quantile_disc(gap, 0.5) AS gap FROM (
         SELECT metric, time_ns, time_ns - lag(time_ns) OVER (PARTITION BY series ORDER BY time_ns) AS gap
         FROM (${parts.join(' UNION ALL ')})) HAVING count(*) > 0`,
      { ...scope.grid, name },
    )
    if (!row) continue
    const { unit: counted, type, temporality, monotonic } = JSON.parse(row['metric'] as string) as MetricPoint
    return { unit: counted, type, temporality, monotonic, intervalNs: (row['gap'] as bigint | null) ?? NS_PER_HOUR }
  }
  return undefined
}

/** With the points that tell from where the first ones of the window have grown. */
export function withLookBack({ window: { startNs, endNs } }: MetricStepQuestion): TimeWindow {
  return { startNs: startNs - LOOKED_BACK_NS, endNs }
}

export async function metricSteps(scope: Scope, question: MetricStepQuestion): Promise<MetricStep[]> {
  const { name, reading, window } = question
  const grows = reading.as === 'rate' || reading.of === 'distributions'
  const inTime = inRanges('time_ns', [grows ? withLookBack(question) : window])
  const sealed = selectionOf(question, 'v.name')
  const open = selectionOf(question, 'g.service')
  const parts = scope.units.flatMap((unit) => pointsOfUnit(unit, inTime, sealed, open))
  if (parts.length === 0) return []
  const points = `(${parts.join(' UNION ALL ')})`
  const parameters = { ...scope.grid, ...sealed.parameters, name }
  if (reading.of === 'distributions')
    return distributionSteps(await distributions(scope, points, question, parameters), reading, {
      knownFromNs: withLookBack(question).startNs,
      firstNs: window.startNs,
    })
  const rows = await scope.session.rows(numberSql(points, reading.as, question), parameters)
  return rows.map((row) => ({
    group: row['grouped'] as string,
    stepNs: row['step_ns'] as bigint,
    value: row['value'] as number,
  }))
}

interface Selection {
  group: string
  where: string
}

/** The same parameters, whatever stands for the service. */
function selectionOf(
  { groupBy, filter, serviceName }: MetricStepQuestion,
  service: string,
): Selection & { parameters: Record<string, string> } {
  const texts = new AttributeTexts({ [SERVICE_NAME]: service })
  const group = groupBy === '' ? "''" : `coalesce(${texts.text(groupBy)}, '')`
  const where = [texts.matching(filter)]
  if (serviceName !== undefined) where.push(`${service} = ${texts.parameter('service', serviceName)}`)
  return { group, where: where.join(' AND '), parameters: texts.parameters }
}

/** What is asked of a series is worked out once for all of its points. */
function pointsOfUnit(unit: HourUnit, inTime: string, sealed: Selection, open = sealed): string[] {
  const own = 'series, grouped, metric, time_ns, start_ns, number, detail'
  const parts: string[] = []
  if (unit.file) {
    const { alias } = unit.file
    parts.push(`SELECT ${own} FROM (SELECT series_no, series, metric, ${sealed.group} AS grouped FROM ${alias}.series r
        JOIN ${alias}.origins g USING (origin_no) JOIN ${alias}.names v ON v.name_no = g.service_no
        WHERE r.name = $name AND ${sealed.where})
      JOIN ${alias}.points USING (series_no) WHERE ${inTime}`)
  }
  const rows = openRows(unit, 'points')
  if (rows)
    parts.push(`SELECT series, ${open.group} AS grouped, metric, time_ns, start_ns, number, detail FROM ${rows} p
      JOIN ${openOrigins(unit)} g USING (origin)
      WHERE json_extract_string(metric, '/name') = $name AND ${inTime} AND ${open.where}`)
  return parts
}

/** A plain number stands for itself, an integer beyond 2^53 in the detail; anything else is no number. */
const NUMBER = "CASE WHEN detail = '' THEN number ELSE json_extract_string(detail, '/integer')::DOUBLE END"
const OVERALL = { average: 'avg(value)', least: 'min(value)', greatest: 'max(value)' }

type NumberReading = Extract<MetricReading, { of: 'numbers' }>['as']

function numberSql(points: string, as: NumberReading, { window, stepMinutes }: MetricStepQuestion): string {
  const step = stepOfColumn('time_ns', stepMinutes)
  const numbers = `(SELECT series, grouped, metric, time_ns, start_ns, ${NUMBER} AS value FROM ${points})`
  const finite = `(SELECT * FROM ${numbers} WHERE isfinite(value))`
  if (as === 'total')
    return `SELECT grouped, step_ns, sum(value) AS value FROM (
        SELECT series, grouped, ${step} AS step_ns, avg(value) AS value FROM ${finite} GROUP BY ALL) GROUP BY ALL`
  if (as !== 'rate') return `SELECT grouped, ${step} AS step_ns, ${OVERALL[as]} AS value FROM ${finite} GROUP BY ALL`
  return `SELECT grouped, step_ns, sum(rate) AS value FROM (
      SELECT series, grouped, ${step} AS step_ns, sum(growth) / sum(elapsed_ns) * 1e9 AS rate
      FROM ${growthSql(finite, window.startNs - LOOKED_BACK_NS)} WHERE time_ns >= ${window.startNs} AND elapsed_ns > 0
      GROUP BY ALL) GROUP BY ALL`
}

/** A sum of all time has grown since the point before, or from 0 where it has begun anew. */
function growthSql(points: string, knownFromNs: bigint): string {
  return `(SELECT series, grouped, time_ns,
      CASE WHEN is_delta THEN value
        WHEN before IS NULL THEN CASE WHEN start_ns > 0 AND start_ns >= ${knownFromNs} THEN value END
        WHEN start_ns > before_ns OR value < before THEN value ELSE value - before END AS growth,
      CASE WHEN is_delta AND start_ns > 0 THEN time_ns - start_ns
        WHEN before IS NOT NULL THEN time_ns - before_ns
        WHEN start_ns > 0 AND start_ns >= ${knownFromNs} AND NOT is_delta THEN time_ns - start_ns END AS elapsed_ns
    FROM (SELECT *, json_extract_string(metric, '/temporality') = 'delta' AS is_delta,
        lag(value) OVER by_time AS before, lag(time_ns) OVER by_time AS before_ns
      FROM ${points} WINDOW by_time AS (PARTITION BY series ORDER BY time_ns)))`
}

/** Of a sum of all time the last point in each step suffices, and the last before it began anew. */
async function distributions(
  scope: Scope,
  points: string,
  { stepMinutes }: MetricStepQuestion,
  parameters: Record<string, string>,
) {
  const rows = await scope.session.rows(
    `SELECT series::VARCHAR AS series, any_value(grouped) AS grouped, any_value(metric) AS metric, start_ns,
       ${stepOfColumn('time_ns', stepMinutes)} AS step_ns, max(time_ns) AS last_ns, arg_max(detail, time_ns) AS detail
     FROM ${points} WHERE detail NOT IN ('', 'null') GROUP BY series, start_ns, step_ns ORDER BY series, last_ns`,
    parameters,
  )
  return rows.map((row: Row) => ({
    series: row['series'] as string,
    group: row['grouped'] as string,
    stepNs: row['step_ns'] as bigint,
    timeNs: row['last_ns'] as bigint,
    startNs: row['start_ns'] as bigint,
    isDelta: (JSON.parse(row['metric'] as string) as MetricPoint).temporality === 'delta',
    value: pointValueOf(0, row['detail'] as string),
  }))
}
