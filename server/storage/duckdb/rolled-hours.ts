import type { TimeWindow } from '../../domain/time-window.ts'
import { minuteRanges } from './minute-ranges.ts'
import type { HourUnit, Scope } from './scope.ts'

/** In a window of fewer whole hours, their minutes are added up as quickly. */
const WORTHWHILE_HOURS = 3

/** The hours that a window covers whole and whose sums are made and still hold. */
export async function rolledHours(scope: Scope, units: HourUnit[], window: TimeWindow): Promise<Set<number>> {
  const whole = units.filter(({ hour, file }) => file && isWhole(hour, window))
  if (whole.length < WORTHWHILE_HOURS) return new Set()
  const parts = whole.map(
    ({ hour, file }) => `SELECT ${hour} AS hour WHERE (SELECT count(*) FROM ${file?.alias}.sealed) = (
      SELECT max(sealings) FROM ${file?.alias}.compacted)`,
  )
  const rows = await scope.session.rows(parts.join(' UNION ALL '))
  return new Set(rows.map((row) => row['hour'] as number))
}

function isWhole(hour: number, window: TimeWindow): boolean {
  const { whole } = minuteRanges(hour, window)
  return whole?.first === 0 && whole.end === 60
}
