import { LOOKED_BACK_NS, type MetricReading, type MetricStep, type MetricStepQuestion } from '../../chart-reader.ts'
import { type DistributionPoint, distributionSteps } from '../../distribution-steps.ts'
import type { Row } from '../engine/session.ts'
import { withGrowth } from '../rolled/number-cells.ts'
import { type AskedWindow, isWholeIn } from '../scope/asked-files.ts'
import { inRanges, stepOfColumn } from '../scope/minute-ranges.ts'
import type { Scope } from '../scope/scope.ts'
import { pointValueOf } from '../write/point-rows.ts'
import { askedCells } from './metric-cells.ts'

/** What cells can be added up to. */
const CELL_MINUTES = 5

/** With the points that tell from where the first ones of the window have grown. */
export function stepsWindow({ window, stepMinutes }: MetricStepQuestion): AskedWindow {
  const lookedBack = { startNs: window.startNs - LOOKED_BACK_NS, endNs: window.endNs }
  return stepMinutes % CELL_MINUTES === 0
    ? { ...lookedBack, rolled: { kind: 'points', hours: isWholeIn(window) } }
    : lookedBack
}

export async function metricSteps(scope: Scope, question: MetricStepQuestion): Promise<MetricStep[]> {
  const { reading, window } = question
  const grows = reading.as === 'rate' || reading.of === 'distributions'
  const knownFromNs = window.startNs - LOOKED_BACK_NS
  const inTime = inRanges('time_ns', [{ startNs: grows ? knownFromNs : window.startNs, endNs: window.endNs }])
  const cells = await askedCells(scope, question, reading.of, inTime)
  if (!cells) return []
  if (reading.of === 'numbers') {
    const sql = numberSql(cells.sql, reading.as, question, knownFromNs)
    return (await scope.session.rows(sql, cells.parameters)).map(stepOf)
  }
  const rows = await scope.session.rows(distributionSql(cells.sql, question), cells.parameters)
  const points = rows.flatMap((row) => [
    ...(row['first_detail'] === null ? [] : [distributionPoint(row, 'first_ns', 'first_detail')]),
    distributionPoint(row, 'last_ns', 'detail'),
  ])
  return distributionSteps(points, reading, { knownFromNs, firstNs: window.startNs })
}

function stepOf(row: Row): MetricStep {
  return { group: row['grouped'] as string, stepNs: row['step_ns'] as bigint, value: row['value'] as number }
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
        SELECT series, grouped, ${step} AS step_ns, ${OVERALL.average} AS value FROM ${cells} GROUP BY ALL) GROUP BY ALL`
  if (as !== 'rate') return `SELECT grouped, ${step} AS step_ns, ${OVERALL[as]} AS value FROM ${cells} GROUP BY ALL`
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
function distributionSql(cells: string, { window, stepMinutes }: MetricStepQuestion): string {
  return `SELECT series::VARCHAR AS series, any_value(grouped) AS grouped, is_delta, start_ns,
      ${stepOfColumn('time_ns', stepMinutes)} AS step_ns, max(time_ns) AS last_ns, arg_max(detail, time_ns) AS detail,
      min(time_ns) AS first_ns,
      CASE WHEN row_number() OVER (PARTITION BY series ORDER BY last_ns) = 1 AND first_ns < last_ns
        THEN arg_min(detail, time_ns) END AS first_detail
    FROM ${cells} cells (series, grouped, is_delta, start_ns, time_ns, detail) WHERE detail NOT IN ('', 'null')
    GROUP BY series, is_delta, start_ns, step_ns, time_ns >= ${window.startNs}, CASE WHEN is_delta THEN time_ns END
    ORDER BY series, last_ns`
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
