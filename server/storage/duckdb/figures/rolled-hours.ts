import type { TimeWindow } from '../../../domain/time-window.ts'
import { minuteRanges } from '../scope/minute-ranges.ts'
import type { HourUnit, Scope } from '../scope/scope.ts'

/** In a window of fewer whole hours, their minutes are added up as quickly. */
const WORTHWHILE_HOURS = 3

/** The hours that a window covers whole and whose sums are made and still hold. */
export async function rolledHours(scope: Scope, units: HourUnit[], window: TimeWindow): Promise<Set<number>> {
  const whole = units.filter(({ hour, file }) => file && isWhole(hour, window))
  if (whole.length < WORTHWHILE_HOURS) return new Set()
  const parts = whole.flatMap(({ hour, file }) => [
    `SELECT ${hour} AS hour, count(*)::DOUBLE AS n FROM ${file?.alias}.sealed`,
    `SELECT ${hour}, coalesce(-max(sealings)::DOUBLE, 0) FROM ${file?.alias}.compacted`,
  ])
  const answer = await scope.session.numbers(parts.join(' UNION ALL '))
  const [hours, counts] = [answer.column(0), answer.column(1)]
  /** How many open files were sealed into each since its sums were made. */
  const sinceByHour = new Map<number, number>()
  for (let row = 0; row < answer.rows; row++) {
    const hour = hours[row] as number
    sinceByHour.set(hour, (sinceByHour.get(hour) ?? 0) + (counts[row] as number))
  }
  return new Set([...sinceByHour].flatMap(([hour, since]) => (since === 0 ? [hour] : [])))
}

function isWhole(hour: number, window: TimeWindow): boolean {
  const { whole } = minuteRanges(hour, window)
  return whole?.first === 0 && whole.end === 60
}
