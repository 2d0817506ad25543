import type { ApdexThresholds } from '../../../domain/apdex.ts'
import { BUCKET_FACTOR } from '../../../domain/latencies.ts'
import type { TimeWindow } from '../../../domain/time-window.ts'
import { nsRangeOfHour } from '../layout.ts'
import { LOCAL_ROOT, REQUEST } from '../schema.ts'
import type { HourUnit } from '../scope/asked-files.ts'
import { inRanges, minuteRanges } from '../scope/minute-ranges.ts'
import { asSums, durationHalves } from './added-up.ts'

const MINUTES_PER_HOUR = 60

/** What a question asks of one hour file. Numbers are the file's own. */
export interface UnitSelection {
  window: TimeWindow
  /** Undefined for every service; empty for none. */
  services: number[] | undefined
  /** The same of operations. */
  operations: number[] | undefined
  /** Services that are asked; what counts of all others are their local roots. */
  entries: number[]
  kinds: number[] | undefined
  /** What is told apart. */
  byService: boolean
  byOperation: boolean
  byKind: boolean
  byMinute: boolean
  /** How many minutes are told as one. */
  stepMinutes: number
  apdex: ApdexThresholds
  /** T of the Apdex formula for services that have one of their own. */
  thresholdsMs: Map<number, number>
}

/** The first columns of every answer. `step` is the first minute of what is told as one. */
export function keys({ byService, byOperation, byKind, byMinute }: UnitSelection, step: string): string {
  return `${byService ? 'service_no' : '0::UINTEGER'} AS service_no, ${byOperation ? 'operation_no' : '0::UINTEGER'} AS operation_no,
    ${byKind ? 'kind' : '0::UTINYINT'} AS kind, ${byMinute ? step : '0'}::INTEGER AS minute`
}

/** A step of hours begins with the hour, whose own sums know no minutes. */
function stepOf(minute: string, { stepMinutes }: UnitSelection): string {
  if (stepMinutes % MINUTES_PER_HOUR === 0) return '0'
  return stepMinutes === 1 ? minute : `(${minute} // ${stepMinutes} * ${stepMinutes})`
}

/**
 * Whether a number is one of some. The database makes a join of `IN`, which is quick with very many rows, and takes megabytes and
 * milliseconds for each hour.
 */
type IsAmong = (column: string, numbers: number[]) => string

const amongManyRows: IsAmong = (column, numbers) => `${column} IN (${numbers.join(', ')})`
const amongFewRows: IsAmong = (column, numbers) => `list_contains([${numbers.join(', ')}]::UINTEGER[], ${column})`

export function conditions(
  { services, operations, kinds, entries }: UnitSelection,
  isAmong: IsAmong = amongFewRows,
): string[] {
  const isEntry = entries.length > 0 ? isAmong('service_no', entries) : 'false'
  return [
    `CASE WHEN ${isEntry} THEN role & ${REQUEST} ELSE role & ${LOCAL_ROOT} END <> 0`,
    ...(services ? [isAmong('service_no', services)] : []),
    ...(operations ? [isAmong('operation_no', operations)] : []),
    ...(kinds ? [`kind IN (${kinds.join(', ')})`] : []),
  ]
}

/** Minutes of the hour are numbered from its first: `unit` tells which hour it is. */
export function minuteOfStart(hour: number): string {
  return `((start_ns - ${nsRangeOfHour(hour).firstNs}) // 60000000000)`
}

export function isNothing({ services, operations }: UnitSelection): boolean {
  return services?.length === 0 || operations?.length === 0
}

/** Sums of requests, to be added up: of whole minutes, and of the spans themselves at the ragged ends. */
export function sumsOfUnit(unit: HourUnit, index: number, selection: UnitSelection): string[] {
  if (isNothing(selection)) return []
  const { whole, ragged } = minuteRanges(unit.hour, selection.window)
  const threshold = thresholdNs(selection)
  const ofMinutes = asSums('requests', 'errors', ...durationHalves(), 'satisfied', 'tolerating')
  const ofSpans = asSums(
    'n',
    'CASE WHEN status = 2 THEN n ELSE 0 END',
    ...durationHalves('n'),
    `CASE WHEN status <> 2 AND duration_ns <= ${threshold} THEN n ELSE 0 END`,
    `CASE WHEN status <> 2 AND duration_ns > ${threshold} AND duration_ns <= 4 * ${threshold} THEN n ELSE 0 END`,
  )
  const minuteOfSpans = minuteOfStart(unit.hour)
  return [
    ...(whole
      ? [
          `SELECT ${index} AS unit, ${keys(selection, stepOf('minute', selection))}, ${ofMinutes} FROM ${minuteTable(unit, 'requests', selection)}`,
        ]
      : []),
    ...(ragged.length > 0
      ? [
          `SELECT ${index} AS unit, ${keys(selection, stepOf(minuteOfSpans, selection))}, ${ofSpans} FROM (${spanRows(unit, ragged, selection)})`,
        ]
      : []),
  ]
}

/** How many requests took how long: of whole minutes, as packed counts to be added up. */
export function packedBucketsOfUnit(unit: HourUnit, index: number, selection: UnitSelection): string[] {
  if (isNothing(selection) || !minuteRanges(unit.hour, selection.window).whole) return []
  const keysAndCounts = `${index} AS unit, ${keys(selection, stepOf('minute', selection))}, counts`
  return [`SELECT ${keysAndCounts} FROM ${minuteTable(unit, 'latencies', selection)}`]
}

/** The same at the ragged ends, by buckets. */
export function raggedBucketsOfUnit(unit: HourUnit, index: number, selection: UnitSelection): string[] {
  const { ragged } = minuteRanges(unit.hour, selection.window)
  if (isNothing(selection) || ragged.length === 0) return []
  return [
    `SELECT ${index} AS unit, ${keys(selection, stepOf(minuteOfStart(unit.hour), selection))},
       floor(ln(greatest(duration_ns, 1)) / ${Math.log(BUCKET_FACTOR)})::SMALLINT AS bucket, sum(n)::DOUBLE
     FROM (${spanRows(unit, ragged, selection)}) GROUP BY ALL HAVING count(*) > 0`,
  ]
}

/** Each duration with how often it is there. */
export function durationsOfUnit(unit: HourUnit, index: number, selection: UnitSelection): string[] {
  if (isNothing(selection)) return []
  return [
    `SELECT ${index} AS unit, ${keys(selection, '0')}, duration_ns::DOUBLE AS duration_ns, n::DOUBLE AS n
     FROM (${spanRows(unit, [selection.window], selection)})`,
  ]
}

function minuteTable({ file, hour }: HourUnit, name: string, selection: UnitSelection): string {
  const { whole } = minuteRanges(hour, selection.window)
  const where = conditions(selection)
  const alias = file?.alias
  const inMinutes = [`minute >= ${whole?.first}`, `minute < ${whole?.end}`]
  return `${alias}.minute_${name} WHERE ${[...inMinutes, ...where].join(' AND ')}`
}

/** Requests one by one, with `n` to be added up. */
function spanRows({ file }: HourUnit, ranges: TimeWindow[], selection: UnitSelection): string {
  const own = 'start_ns, service_no, operation_no, kind, status, duration_ns, role'
  const where = [inRanges('start_ns', ranges), ...conditions(selection, amongManyRows)].join(' AND ')
  return `SELECT ${own}, 1 AS n FROM ${file?.alias}.spans WHERE ${where}
    UNION ALL SELECT ${own}, n FROM ${file?.alias}.request_corrections WHERE ${where}`
}

function thresholdNs({ apdex, thresholdsMs }: UnitSelection): string {
  const own = [...thresholdsMs].map(([service, ms]) => `WHEN ${service} THEN ${ms * 1e6}`)
  const other = `${apdex.defaultMs * 1e6}::DOUBLE`
  return own.length > 0 ? `(CASE service_no ${own.join(' ')} ELSE ${other} END)` : other
}
