import { BUCKET_FACTOR } from '../../domain/latencies.ts'
import type { TimeWindow } from '../../domain/time-window.ts'
import { nsRangeOfHour } from './layout.ts'
import { inRanges, minuteOfColumn, minuteRanges, NS_PER_MINUTE } from './minute-ranges.ts'
import { LOCAL_ROOT, REQUEST } from './schema.ts'
import type { HourUnit } from './scope.ts'

const ROLES = REQUEST | LOCAL_ROOT
const SUMS = ['requests', 'errors', 'duration_ns', 'satisfied', 'tolerating']

/** The bucket of `domain/latencies.ts` for a duration. */
function bucketSql(durationNs: string): string {
  return `floor(ln(greatest(${durationNs}, 1)) / ${Math.log(BUCKET_FACTOR)})::SMALLINT`
}

/** Sums of requests as columns; `threshold_ns` is T of the Apdex formula. */
const REQUEST_SUMS = `sum(n) AS requests, coalesce(sum(n) FILTER (status = 2), 0) AS errors,
  sum(n::HUGEINT * duration_ns) AS duration_ns,
  coalesce(sum(n) FILTER (status <> 2 AND duration_ns <= threshold_ns), 0) AS satisfied,
  coalesce(sum(n) FILTER (status <> 2 AND duration_ns > threshold_ns AND duration_ns <= 4 * threshold_ns), 0) AS tolerating`

/** T of each service, from `$thresholds` (an object by service) and `$threshold` (for all others), in milliseconds. */
const THRESHOLDS = `(SELECT key AS threshold_service, value::DOUBLE * 1000000 AS own_threshold_ns
  FROM json_each($thresholds::JSON))`
const THRESHOLD_NS = 'coalesce(own_threshold_ns, $threshold::DOUBLE * 1000000) AS threshold_ns'

/** What is told apart, by the names of columns: `service`, `operation`, `kind`, `minute_ns`. `role` always is. */
export interface RequestSelection {
  window: TimeWindow
  keys: string[]
  /** Over `service` and `kind`; the empty text for all. */
  where: string
  /** Hours whose own sums stand for those of their minutes. */
  rolled: Set<number>
}

const SUMMED = SUMS.map((column) => `sum(${column}) AS ${column}`).join(', ')

/** Sums of requests in a unit, as sealed: from the sums of whole minutes, and from the spans themselves at ragged ends. */
export function sealedSums(unit: HourUnit, selection: RequestSelection): string[] {
  const { keys } = selection
  const groups = ['role', ...keys].join(', ')
  const minutes = minuteRows(unit, 'minute_requests', selection).map(
    (rows) => `SELECT ${groups}, ${SUMMED} FROM (${rows}) GROUP BY ${groups}`,
  )
  const spans = sealedRows(unit, selection, minuteRanges(unit.hour, selection.window).ragged)
  return [
    ...minutes,
    ...spans.map((rows) => `SELECT ${groups}, ${REQUEST_SUMS} FROM (${judged(rows)}) GROUP BY ${groups}`),
  ]
}

/** Counts by bucket, in the same way. */
export function sealedBuckets(unit: HourUnit, selection: RequestSelection): string[] {
  const groups = ['role', ...selection.keys, 'bucket'].join(', ')
  const minutes = minuteRows(unit, 'minute_latencies', selection).map(
    (rows) => `SELECT ${groups}, sum(requests) AS requests FROM (${rows}) GROUP BY ${groups}`,
  )
  const spans = sealedRows(unit, selection, minuteRanges(unit.hour, selection.window).ragged)
  return [...minutes, ...spans.map((rows) => bucketCounts(rows, groups))]
}

function bucketCounts(rows: string, groups: string): string {
  return `SELECT ${groups}, sum(n) AS requests FROM (SELECT *, ${bucketSql('duration_ns')} AS bucket FROM (${rows})) GROUP BY ${groups}`
}

/** Requests of a unit one by one, with `n` to be added up. */
export function sealedRows({ file }: HourUnit, { where }: RequestSelection, ranges: TimeWindow[]): string[] {
  if (!file || ranges.length === 0) return []
  const { alias } = file
  const own = 'start_ns, service_no, operation_no, kind, status, duration_ns, role'
  const rows = `SELECT ${own}, 1 AS n FROM ${alias}.spans WHERE ${inRanges('start_ns', ranges)} AND role & ${ROLES} <> 0
    UNION ALL SELECT ${own}, n FROM ${alias}.request_corrections WHERE ${inRanges('start_ns', ranges)} AND role & ${ROLES} <> 0`
  return [
    `SELECT (role & ${ROLES})::UTINYINT AS role, v.name AS service, o.name AS operation, kind, status, start_ns,
       ${minuteOfColumn('start_ns')} AS minute_ns, duration_ns, n
     FROM (${rows}) s JOIN ${alias}.names v ON v.name_no = s.service_no JOIN ${alias}.names o ON o.name_no = s.operation_no
     ${where}`,
  ]
}

function judged(rows: string): string {
  return `SELECT r.*, ${THRESHOLD_NS} FROM (${rows}) r LEFT JOIN ${THRESHOLDS} ON threshold_service = r.service`
}

/** Rows of a table of minutes, with names for what is told apart. Numbers are added up before they get names. */
function minuteRows(
  { file, hour }: HourUnit,
  table: string,
  { window, keys, where, rolled }: RequestSelection,
): string[] {
  const { whole } = minuteRanges(hour, window)
  if (!file || !whole) return []
  const { alias } = file
  const isRolled = rolled.has(hour) && !keys.includes('minute_ns')
  const source = isRolled
    ? `${alias}.${table.replace('minute', 'hour')}`
    : `${alias}.${table} WHERE minute >= ${whole.first} AND minute < ${whole.end}`
  const values = table === 'minute_latencies' ? ['requests'] : SUMS
  const names = new Set([...keys, ...(where === '' ? [] : ['service', 'kind'])])
  const numbers = [
    'role',
    ...(names.has('service') ? ['service_no'] : []),
    ...(names.has('operation') ? ['operation_no'] : []),
    ...(names.has('kind') ? ['kind'] : []),
    ...(names.has('minute_ns') ? ['minute'] : []),
    ...(table === 'minute_latencies' ? ['bucket'] : []),
  ].join(', ')
  const minuteNs = `, ${nsRangeOfHour(hour).firstNs} + minute * ${NS_PER_MINUTE} AS minute_ns`
  return [
    `SELECT s.* ${names.has('service') ? ', v.name AS service' : ''} ${names.has('operation') ? ', o.name AS operation' : ''}
       ${names.has('minute_ns') ? minuteNs : ''}
     FROM (SELECT ${numbers}, ${values.map((value) => `sum(${value}) AS ${value}`).join(', ')} FROM ${source}
       GROUP BY ${numbers}) s
     ${names.has('service') ? `JOIN ${alias}.names v ON v.name_no = s.service_no` : ''}
     ${names.has('operation') ? `JOIN ${alias}.names o ON o.name_no = s.operation_no` : ''}
     ${where}`,
  ]
}
