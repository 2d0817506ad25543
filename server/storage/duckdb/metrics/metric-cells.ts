import { type MetricStepQuestion, SERVICE_NAME } from '../../chart-reader.ts'
import { AttributeTexts } from '../figures/attribute-texts.ts'
import { CELL_COLUMNS, cellsOfPoints, NUMBER } from '../rolled/number-cells.ts'
import { isDelta } from '../rolled/roll-hour.ts'
import type { RolledDay } from '../rolled/rolled-days.ts'
import type { HourUnit } from '../scope/asked-files.ts'
import { inHours } from '../scope/minute-ranges.ts'
import { openRows, type Scope } from '../scope/scope.ts'
import { openOrigins } from '../traces/span-rows-read.ts'

/** A join takes megabytes however little it joins: series are looked for in so many files at a time. */
const FILES_AT_ONCE = 8
/** Looked for one by one; of more series, the range of their numbers. */
const NUMBERS_MAX = 64

/** What a question reads of a metric's points: cells of numbers, or the points of distributions that say all. */
export type CellKind = 'numbers' | 'distributions'

/** What tells of the series of a cell. */
const KEYS = 'series, grouped, is_delta'
const COLUMNS: Record<CellKind, string> = { numbers: CELL_COLUMNS, distributions: 'start_ns, last_ns, detail' }

interface Selection {
  group: string
  where: string
}

/** A file with series and rows of them, by the file's own numbers. */
interface Source {
  /** Selects `series_no` and the keys. */
  series: string
  /** Selects `series_no` and a kind's columns, of rows that meet a condition. */
  rows: (condition: string) => string
}

/**
 * The cells of the points that a question asks about, as a subquery for its `$grid` and `parameters`: each with its keys. What
 * is asked of a series is worked out once for all of its points. Undefined where there are none.
 */
export async function askedCells(
  scope: Scope,
  question: MetricStepQuestion,
  kind: CellKind,
  inTime: string,
): Promise<{ sql: string; parameters: Record<string, string> } | undefined> {
  const sealed = selectionOf(question, 'v.name')
  const other = selectionOf(question, 'service')
  const parameters = { ...scope.grid, ...sealed.parameters, name: question.name }
  const cellMinutes = question.stepMinutes % 60 === 0 ? '1h' : '5m'
  const sources = [
    ...scope.units.flatMap((unit) => (unit.file ? [hourSource(unit.file.alias, kind, inTime, sealed)] : [])),
    ...scope.days.map((day) => daySource(day, kind, `${kind}_${cellMinutes}`, other)),
  ]
  const parts = [
    ...(await sealedCells(scope, kind, sources, parameters)),
    ...scope.units.flatMap((unit) => openCells(unit, kind, inTime, other)),
  ]
  return parts.length === 0 ? undefined : { sql: `(${parts.join(' UNION ALL ')})`, parameters }
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

function hourSource(alias: string, kind: CellKind, inTime: string, { group, where }: Selection): Source {
  return {
    series: `SELECT series_no, series, ${group} AS grouped, ${isDelta('metric')} AS is_delta FROM ${alias}.series r
      JOIN ${alias}.origins g USING (origin_no) JOIN ${alias}.names v ON v.name_no = g.service_no
      WHERE r.name = $name AND ${where}`,
    rows: (condition) => cellsOf(kind, `SELECT * FROM ${alias}.points WHERE ${condition} AND ${inTime}`, 'series_no'),
  }
}

function daySource({ file: { alias }, hours }: RolledDay, kind: CellKind, table: string, own: Selection): Source {
  return {
    series: `SELECT series_no, series, ${own.group} AS grouped, ${isDelta('metric')} AS is_delta FROM ${alias}.series
      WHERE name = $name AND ${own.where}`,
    rows: (condition) =>
      `SELECT series_no, ${COLUMNS[kind]} FROM ${alias}.${table} WHERE ${condition} AND ${inHours('first_ns', hours)}`,
  }
}

/** Points as cells of their own. */
function cellsOf(kind: CellKind, points: string, keys: string): string {
  if (kind === 'numbers') return cellsOfPoints(`(SELECT *, ${NUMBER} AS value FROM (${points}))`, keys)
  return `SELECT ${keys}, start_ns, time_ns AS last_ns, detail FROM (${points})`
}

async function sealedCells(
  { session }: Scope,
  kind: CellKind,
  sources: Source[],
  parameters: Record<string, string>,
): Promise<string[]> {
  await session.run(
    'CREATE OR REPLACE TEMP TABLE asked_series (source UINTEGER, series_no UINTEGER, series UUID, grouped VARCHAR, is_delta BOOLEAN)',
  )
  const numbered = sources.map(({ series }, i) => `SELECT ${i} AS source, * FROM (${series})`)
  for (let i = 0; i < numbered.length; i += FILES_AT_ONCE)
    await session.run(
      `INSERT INTO asked_series ${numbered.slice(i, i + FILES_AT_ONCE).join(' UNION ALL ')}`,
      parameters,
    )
  const found = await session.rows(
    `SELECT source, min(series_no) AS first, max(series_no) AS last,
       CASE WHEN count(*) <= ${NUMBERS_MAX} THEN string_agg(series_no::VARCHAR, ', ') END AS numbers
     FROM asked_series GROUP BY source`,
  )
  const rows = found.map(({ source, first, last, numbers }) => {
    const condition = numbers === null ? `series_no BETWEEN ${first} AND ${last}` : `series_no IN (${numbers})`
    return `SELECT ${source}::UINTEGER AS source, * FROM (${sources[Number(source)]?.rows(condition)})`
  })
  if (rows.length === 0) return []
  return [
    `SELECT ${KEYS}, ${COLUMNS[kind]} FROM (${rows.join(' UNION ALL ')}) JOIN asked_series USING (source, series_no)`,
  ]
}

function openCells(unit: HourUnit, kind: CellKind, inTime: string, own: Selection): string[] {
  const points = openPoints(unit, inTime, own)
  return points === undefined ? [] : [cellsOf(kind, points, KEYS)]
}

/** Points that are not sealed yet, with their keys. */
export function openPoints(unit: HourUnit, inTime: string, { group, where }: Selection): string | undefined {
  const rows = openRows(unit, 'points')
  if (!rows) return undefined
  return `SELECT series, ${group} AS grouped, ${isDelta('metric')} AS is_delta, metric, time_ns, start_ns, number, detail
    FROM ${rows} p JOIN ${openOrigins(unit)} g USING (origin)
    WHERE json_extract_string(metric, '/name') = $name AND ${inTime} AND ${where}`
}
