import type { ChartType } from '../domain/chart.ts'
import type { TimeWindow } from '../domain/time-window.ts'

export const NS_PER_MINUTE = 60_000_000_000n
/** More points than this no chart needs: a screen is not much wider. */
const POINTS_MAX = 300
/** Bars need room. */
const BARS_MAX = 60
const MINUTES_PER_DAY = 1440
const STEPS_MINUTES = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, MINUTES_PER_DAY]

/** How many minutes one point of a chart stands for: as few as a window of that length allows, and at least `atLeast`. */
export function stepMinutesOf({ startNs, endNs }: TimeWindow, chartType: ChartType = 'line', atLeast = 1): number {
  const minutes = Math.ceil(Number(endNs - startNs) / Number(NS_PER_MINUTE))
  const needed = Math.max(minutes / (chartType === 'bar' ? BARS_MAX : POINTS_MAX), atLeast)
  return STEPS_MINUTES.find((step) => step >= needed) ?? Math.ceil(needed / MINUTES_PER_DAY) * MINUTES_PER_DAY
}

/** How many seconds of a step lie in the window, and are over. */
export function secondsOfStep(stepNs: bigint, stepMinutes: number, window: TimeWindow, nowNs: bigint): number {
  const endNs = least(stepNs + BigInt(stepMinutes) * NS_PER_MINUTE, window.endNs, nowNs)
  const startNs = stepNs > window.startNs ? stepNs : window.startNs
  return Number(endNs - startNs) / 1e9
}

function least(...values: bigint[]): bigint {
  return values.reduce((a, b) => (b < a ? b : a))
}
