import type { TimeWindow } from '../../../domain/time-window.ts'
import { HOURS_PER_DAY, type RolledDay } from '../rolled/rolled-days.ts'
import { isWholeIn, overlaps } from '../scope/asked-files.ts'
import { asSums, durationHalves } from './added-up.ts'
import { conditions, isNothing, keys, type UnitSelection } from './request-rows.ts'

const MINUTES_PER_HOUR = 60
/** The steps in which a day has the requests of its services. */
export const STEP_MINUTES = 5

/** Whether what days are rolled up into says enough to answer. */
export function isOfDays({ by, stepMinutes = 1, operationName }: DayQuestion): boolean {
  if (!by.includes('minute') || stepMinutes % MINUTES_PER_HOUR === 0) return true
  return stepMinutes % STEP_MINUTES === 0 && !by.includes('operation') && operationName === undefined
}

interface DayQuestion {
  by: string[]
  stepMinutes?: number
  operationName?: string
}

/** Sums of requests, to be added up. */
export function sumsOfDay(day: RolledDay, index: number, selection: UnitSelection): string[] {
  if (isNothing(selection)) return []
  const sums = asSums('requests', 'errors', ...durationHalves(), 'satisfied', 'tolerating')
  return [
    `SELECT ${index} AS unit, ${keys(selection, stepOf(day, selection))}, ${sums} FROM ${rows(day, 'requests', selection)}`,
  ]
}

/** How many requests took how long, as packed counts to be added up; of the steps of an hour together, where they are parts of it. */
export function packedBucketsOfDay(day: RolledDay, index: number, selection: UnitSelection): string[] {
  if (isNothing(selection)) return []
  return [
    `SELECT ${index} AS unit, ${keys(selection, `(${minuteOf(day)})`)}, counts FROM ${rows(day, 'latencies', selection)}`,
  ]
}

/** Each duration with how often it is there, of operations with few requests. */
export function durationsOfDay(day: RolledDay, index: number, selection: UnitSelection): string[] {
  if (isNothing(selection)) return []
  return [
    `SELECT ${index} AS unit, ${keys(selection, '0')}, duration_ns::DOUBLE AS duration_ns, n::DOUBLE AS n
     FROM ${day.file.alias}.durations WHERE ${inHours(day)} AND ${conditions(selection).join(' AND ')}`,
  ]
}

export function inHours({ hours }: RolledDay): string {
  const [first, last] = [hours[0] as number, hours.at(-1) as number]
  const range = `hour BETWEEN ${first} AND ${last}`
  return last - first + 1 === hours.length ? range : `${range} AND list_contains([${hours.join(', ')}], hour)`
}

function rows(day: RolledDay, what: 'requests' | 'latencies', selection: UnitSelection): string {
  const isOfOperations = selection.byOperation || selection.operations !== undefined
  const table = `${isOfOperations ? '' : 'service_'}${what}_${isByPartOfHour(selection) ? '5m' : '1h'}`
  return `${day.file.alias}.${table} WHERE ${[inHours(day), ...conditions(selection)].join(' AND ')}`
}

/** Minutes of the day are numbered from its first. */
function stepOf(day: RolledDay, selection: UnitSelection): string {
  const { stepMinutes } = selection
  return isByPartOfHour(selection)
    ? `(${minuteOf(day)} + minute // ${stepMinutes} * ${stepMinutes})`
    : `(${minuteOf(day)})`
}

/** The first of an hour. */
function minuteOf({ file }: RolledDay): string {
  return `(hour - ${file.day * HOURS_PER_DAY}) * ${MINUTES_PER_HOUR}`
}

export function isByPartOfHour({ byMinute, stepMinutes }: UnitSelection): boolean {
  return byMinute && stepMinutes % MINUTES_PER_HOUR !== 0
}

/** Of rolled up days, the hours that a window has all of. */
export function daysIn(days: RolledDay[], window: TimeWindow): RolledDay[] {
  const isWhole = isWholeIn(window)
  return days.flatMap(({ file, hours }) => {
    const whole = hours.filter(isWhole)
    return whole.length > 0 ? [{ file, hours: whole }] : []
  })
}

/** Hours of which each of these windows has all or nothing. */
export function allOrNothing(...windows: TimeWindow[]): (hour: number) => boolean {
  return (hour) => windows.every((window) => !overlaps(hour, window) || isWholeIn(window)(hour))
}
