import {
  LOOKED_BACK_NS,
  type MetricReading,
  type MetricStep,
  type MetricStepQuestion,
  SERVICE_NAME,
} from '../chart-reader.ts'
import { type DistributionPoint, distributionSteps } from '../distribution-steps.ts'
import { AttributeTexts } from './attribute-texts.ts'
import { inHours, inRanges, stepOfColumn } from './minute-ranges.ts'
import { pointValueOf } from './point-rows.ts'
import type { RolledDay } from './rolled/day-files.ts'
import { CELL_COLUMNS, cellsOfPoints, NUMBER, withGrowth } from './rolled/number-cells.ts'
import { isDelta } from './rolled/roll-hour.ts'
import { type AskedWindow, type HourUnit, openRows, type Scope } from './scope.ts'
import type { Row } from './session.ts'
import { openOrigins } from './span-rows-read.ts'

/** Cells of five minutes and of an hour can be added up to these steps. */
const CELL_MINUTES = 5
const HOUR_MINUTES = 60

/** With the points that tell from where the first ones of the window have grown. */
export function stepsWindow({ window, stepMinutes }: MetricStepQuestion): AskedWindow {
  const lookedBack = { startNs: window.startNs - LOOKED_BACK_NS, endNs: window.endNs }
  return stepMinutes % CELL_MINUTES === 0 ? { ...lookedBack, rolledWithin: window } : lookedBack
}

export async function metricSteps(scope: Scope, question: MetricStepQuestion): Promise<MetricStep[]> {
  const { name, reading, window } = question
  const knownFromNs = window.startNs - LOOKED_BACK_NS
  const grows = reading.as === 'rate' || reading.of === 'distributions'
  const inTime = inRanges('time_ns', [{ startNs: grows ? knownFromNs : window.startNs, endNs: window.endNs }])
  const sealed = selectionOf(question, 'v.name')
  const other = selectionOf(question, 'service')
  const points = scope.units.flatMap((unit) => pointsOfUnit(unit, inTime, sealed, other))
  const days = scope.days.filter(({ hours }) => hours.length > 0)
  if (points.length === 0 && days.length === 0) return []
  const parameters = { ...scope.grid, ...sealed.parameters, name }
  if (reading.of === 'distributions') {
    const columns = 'start_ns, last_ns, detail'
    const rolled = days.map((day) => cellsOfDay(day, `distributions_${cellOf(question)}`, columns, other))
    const rows = points.map((part) => `SELECT series, grouped, is_delta, start_ns, time_ns, detail FROM (${part})`)
    const found = await distributions(scope, [...rows, ...rolled].join(' UNION ALL '), question, parameters)
    return distributionSteps(found, reading, { knownFromNs, firstNs: window.startNs })
  }
  const numbers = points.map((part) => cellsOfPoints(`(SELECT *, ${NUMBER} AS value FROM (${part}))`, KEYS))
  const rolled = days.map((day) => cellsOfDay(day, `numbers_${cellOf(question)}`, CELL_COLUMNS, other))
  const rows = await scope.session.rows(
    numberSql([...numbers, ...rolled].join(' UNION ALL '), reading.as, question, knownFromNs),
    parameters,
  )
  return rows.map((row) => ({
    group: row['grouped'] as string,
    stepNs: row['step_ns'] as bigint,
    value: row['value'] as number,
  }))
}

function cellOf({ stepMinutes }: MetricStepQuestion): '5m' | '1h' {
  return stepMinutes % HOUR_MINUTES === 0 ? '1h' : '5m'
}

const KEYS = 'series, grouped, is_delta'

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
export function pointsOfUnit(unit: HourUnit, inTime: string, sealed: Selection, open = sealed): string[] {
  const own = 'series, grouped, is_delta, metric, time_ns, start_ns, number, detail'
  const parts: string[] = []
  if (unit.file) {
    const { alias } = unit.file
    parts.push(`SELECT ${own} FROM (
        SELECT series_no, series, metric, ${isDelta('metric')} AS is_delta, ${sealed.group} AS grouped
        FROM ${alias}.series r JOIN ${alias}.origins g USING (origin_no) JOIN ${alias}.names v ON v.name_no = g.service_no
        WHERE r.name = $name AND ${sealed.where})
      JOIN ${alias}.points USING (series_no) WHERE ${inTime}`)
  }
  const rows = openRows(unit, 'points')
  if (rows)
    parts.push(`SELECT series, ${open.group} AS grouped, ${isDelta('metric')} AS is_delta, metric, time_ns, start_ns,
        number, detail
      FROM ${rows} p JOIN ${openOrigins(unit)} g USING (origin)
      WHERE json_extract_string(metric, '/name') = $name AND ${inTime} AND ${open.where}`)
  return parts
}

function cellsOfDay({ file: { alias }, hours }: RolledDay, table: string, columns: string, own: Selection): string {
  return `SELECT ${KEYS}, ${columns} FROM (
      SELECT series_no, series, ${isDelta('metric')} AS is_delta, ${own.group} AS grouped FROM ${alias}.series
      WHERE name = $name AND ${own.where})
    JOIN ${alias}.${table} USING (series_no) WHERE ${inHours('first_ns', hours)}`
}

const OVERALL = { average: 'sum(total) / sum(points)', least: 'min(least)', greatest: 'max(greatest)' }

type NumberReading = Extract<MetricReading, { of: 'numbers' }>['as']

function numberSql(
  cells: string,
  as: NumberReading,
  { window, stepMinutes }: MetricStepQuestion,
  knownFromNs: bigint,
): string {
  const step = stepOfColumn('first_ns', stepMinutes)
  if (as === 'total')
    return `SELECT grouped, step_ns, sum(value) AS value FROM (
        SELECT series, grouped, ${step} AS step_ns, ${OVERALL.average} AS value FROM (${cells}) GROUP BY ALL) GROUP BY ALL`
  if (as !== 'rate') return `SELECT grouped, ${step} AS step_ns, ${OVERALL[as]} AS value FROM (${cells}) GROUP BY ALL`
  const grew = 'CASE WHEN elapsed_ns > 0 THEN'
  return `SELECT grouped, step_ns, sum(growth / elapsed_ns) * 1e9 AS value FROM (
      SELECT series, grouped, ${step} AS step_ns, sum(grown + ${grew} growth ELSE 0 END) AS growth,
        sum(grown_ns + ${grew} elapsed_ns ELSE 0 END) AS elapsed_ns
      FROM ${withGrowth(cells, 'series', `start_ns > 0 AND start_ns >= ${knownFromNs}`)}
      WHERE first_ns >= ${window.startNs} GROUP BY ALL) WHERE elapsed_ns > 0 GROUP BY ALL`
}

/**
 * Of a sum of all time the last point in each step suffices, the last before it began anew or the window began, and the first of
 * a series.
 */
async function distributions(
  scope: Scope,
  cells: string,
  { window, stepMinutes }: MetricStepQuestion,
  parameters: Record<string, string>,
) {
  const rows = await scope.session.rows(
    `SELECT series::VARCHAR AS series, any_value(grouped) AS grouped, is_delta, start_ns,
       ${stepOfColumn('time_ns', stepMinutes)} AS step_ns, max(time_ns) AS last_ns, arg_max(detail, time_ns) AS detail,
       min(time_ns) AS first_ns,
       CASE WHEN row_number() OVER (PARTITION BY series ORDER BY last_ns) = 1 AND first_ns < last_ns
         THEN arg_min(detail, time_ns) END AS first_detail
     FROM (${cells}) cells (series, grouped, is_delta, start_ns, time_ns, detail) WHERE detail NOT IN ('', 'null')
     GROUP BY series, is_delta, start_ns, step_ns, time_ns >= ${window.startNs}, CASE WHEN is_delta THEN time_ns END
     ORDER BY series, last_ns`,
    parameters,
  )
  return rows.flatMap((row) => [
    ...(row['first_detail'] === null ? [] : [distributionPoint(row, 'first_ns', 'first_detail')]),
    distributionPoint(row, 'last_ns', 'detail'),
  ])
}

function distributionPoint(row: Row, time: string, detail: string): DistributionPoint {
  return {
    series: row['series'] as string,
    group: row['grouped'] as string,
    stepNs: row['step_ns'] as bigint,
    timeNs: row[time] as bigint,
    startNs: row['start_ns'] as bigint,
    isDelta: row['is_delta'] as boolean,
    value: pointValueOf(0, row[detail] as string),
  }
}
