import type { TimeWindow } from '../../../domain/time-window.ts'
import { nsRangeOfHour } from '../layout.ts'

export const NS_PER_MINUTE = 60_000_000_000n

/** How a window lies on an hour: the minutes that it covers whole, as `[first, end)`, and what is left before and after them. */
export interface MinuteRanges {
  whole: { first: number; end: number } | undefined
  ragged: TimeWindow[]
}

export function minuteRanges(hour: number, window: TimeWindow): MinuteRanges {
  const { firstNs, lastNs } = nsRangeOfHour(hour)
  const startNs = window.startNs > firstNs ? window.startNs : firstNs
  const endNs = window.endNs <= lastNs ? window.endNs : lastNs + 1n
  if (startNs >= endNs) return { whole: undefined, ragged: [] }
  const first = (startNs - firstNs + NS_PER_MINUTE - 1n) / NS_PER_MINUTE
  const end = (endNs - firstNs) / NS_PER_MINUTE
  if (first >= end) return { whole: undefined, ragged: [{ startNs, endNs }] }
  const ragged = [
    { startNs, endNs: firstNs + first * NS_PER_MINUTE },
    { startNs: firstNs + end * NS_PER_MINUTE, endNs },
  ]
  return {
    whole: { first: Number(first), end: Number(end) },
    ragged: ragged.filter((range) => range.startNs < range.endNs),
  }
}

/** The condition that selects these ranges by a column of nanoseconds. */
export function inRanges(column: string, ranges: TimeWindow[]): string {
  const parts = ranges.map(({ startNs, endNs }) => `(${column} >= ${startNs} AND ${column} < ${endNs})`)
  return parts.length === 0 ? 'false' : `(${parts.join(' OR ')})`
}

/** The condition that a column of nanoseconds lies in one of these hours, which ascend. */
export function inHours(column: string, hours: number[]): string {
  const ranges: TimeWindow[] = []
  for (const hour of hours) {
    const { firstNs, lastNs } = nsRangeOfHour(hour)
    const before = ranges.at(-1)
    if (before?.endNs === firstNs) before.endNs = lastNs + 1n
    else ranges.push({ startNs: firstNs, endNs: lastNs + 1n })
  }
  return inRanges(column, ranges)
}

/** The start of the minute that a column of nanoseconds lies in. */
export function minuteOfColumn(column: string): string {
  return stepOfColumn(column, 1)
}

/** The start of the step of so many minutes, counted from the epoch. */
export function stepOfColumn(column: string, stepMinutes: number): string {
  const step = NS_PER_MINUTE * BigInt(stepMinutes)
  return `(${column} - ((${column} % ${step} + ${step}) % ${step}))`
}

/** Which step of so many minutes it is, counted from the epoch: the earliest moments there are lie in a step, but not its start. */
export function stepNumberOfColumn(column: string, stepMinutes: number): string {
  const step = NS_PER_MINUTE * BigInt(stepMinutes)
  return `(${column} // ${step} - (${column} % ${step} < 0)::INTEGER)`
}
