import type { Session } from '../engine/session.ts'
import { nsRangeOfHour } from '../layout.ts'
import { cellsOfPoints, mergedCells, NUMBER } from './number-cells.ts'
import { rollDistributions } from './roll-distributions.ts'

/** Points are rolled up so many at a time, to keep to the memory limit. */
const POINTS_PER_RUN = 500_000

/** Writes the cells of an hour's points into its day, within the caller's transaction. */
export async function rollHour(session: Session, hourAlias: string, dayAlias: string, hour: number): Promise<void> {
  const { firstNs, lastNs } = nsRangeOfHour(hour)
  const inHour = `first_ns BETWEEN ${firstNs} AND ${lastNs}`
  for (const table of ['numbers_5m', 'numbers_1h', 'distributions_5m', 'distributions_1h'])
    await session.run(`DELETE FROM ${dayAlias}.${table} WHERE ${inHour}`)
  await numberSeries(session, hourAlias, dayAlias)
  for (const run of await runsOf(session, hourAlias)) await rollRun(session, hourAlias, dayAlias, run)
  await session.run(
    `INSERT INTO ${dayAlias}.numbers_1h ${mergedCells(
      `(SELECT c.*, s.is_delta FROM ${dayAlias}.numbers_5m c
       JOIN rolled_series s ON s.day_no = c.series_no WHERE ${inHour})`,
      60,
    )}`,
  )
  await rollDistributions(
    session,
    `SELECT c.*, s.is_delta FROM ${dayAlias}.distributions_5m c JOIN rolled_series s ON s.day_no = c.series_no
     WHERE ${inHour}`,
    { alias: dayAlias, table: 'distributions_1h', minutes: 60 },
  )
  await session.run('DROP TABLE temp.rolled_series')
}

/** The series of an hour, by its numbers and those of the day, which get the ones that are new. */
async function numberSeries(session: Session, hourAlias: string, dayAlias: string): Promise<void> {
  await session.run(
    `INSERT INTO ${dayAlias}.series
     SELECT row_number() OVER (ORDER BY r.name, r.series) + (SELECT coalesce(max(series_no), 0) FROM ${dayAlias}.series),
       r.series, r.name, r.metric, n.name, g.resource, r.attributes
     FROM ${hourAlias}.series r JOIN ${hourAlias}.origins g USING (origin_no)
     JOIN ${hourAlias}.names n ON n.name_no = g.service_no
     WHERE r.series NOT IN (SELECT series FROM ${dayAlias}.series)`,
  )
  await session.run(
    `CREATE OR REPLACE TEMP TABLE rolled_series AS
     SELECT r.series_no, d.series_no AS day_no, ${isDelta('d.metric')} AS is_delta
     FROM ${hourAlias}.series r JOIN ${dayAlias}.series d ON d.series = r.series`,
  )
}

/** Whether a metric's points tell what was added since the one before. */
export function isDelta(metric: string): string {
  return `coalesce(json_extract_string(${metric}, '/temporality') = 'delta', false)`
}

interface Run {
  first: number
  last: number
}

/** Series by their numbers in the day, as many together as one statement takes. */
async function runsOf(session: Session, hourAlias: string): Promise<Run[]> {
  const counted = await session.numbers(
    `SELECT s.day_no, count(*)::UINTEGER FROM ${hourAlias}.points JOIN rolled_series s USING (series_no)
     GROUP BY s.day_no ORDER BY s.day_no`,
  )
  const [numbers, points] = [counted.column(0), counted.column(1)]
  const runs: Run[] = []
  let left = 0
  for (let i = 0; i < counted.rows; i++) {
    const no = numbers[i] as number
    const run = runs.at(-1)
    if (run && left > 0) run.last = no
    else runs.push({ first: no, last: no })
    left = (run && left > 0 ? left : POINTS_PER_RUN) - (points[i] as number)
  }
  return runs
}

async function rollRun(session: Session, hourAlias: string, dayAlias: string, { first, last }: Run): Promise<void> {
  const points = `${hourAlias}.points p JOIN rolled_series s ON s.series_no = p.series_no
    AND s.day_no BETWEEN ${first} AND ${last}`
  const numbers = `(SELECT s.day_no AS series_no, s.is_delta, time_ns, start_ns, ${NUMBER} AS value FROM ${points})`
  await session.run(
    `INSERT INTO ${dayAlias}.numbers_5m ${mergedCells(`(${cellsOfPoints(numbers, 'series_no, is_delta')})`, 5)}`,
  )
  const distributions = `SELECT s.day_no AS series_no, start_ns, 1 AS points, time_ns AS first_ns, time_ns AS last_ns, detail,
      s.is_delta
    FROM ${points} WHERE ${IS_DISTRIBUTION}`
  await rollDistributions(session, distributions, { alias: dayAlias, table: 'distributions_5m', minutes: 5 })
}

const IS_DISTRIBUTION = `detail NOT IN ('', 'null') AND NOT starts_with(detail, '{"integer"')`
