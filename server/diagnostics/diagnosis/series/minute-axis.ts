import type { TimeWindow } from '../../../domain/time-window.ts'

export const NS_PER_MINUTE = 60_000_000_000n

/** The minutes of the baseline and the window, as one row of columns: everything by minute is kept in arrays of this length. */
export interface MinuteAxis {
  /** A whole minute. */
  startNs: bigint
  length: number
  /** How much of each minute was asked about, 0 to 1: the first and the last are seldom whole. */
  covered: number[]
  /** The first minute of the window; those before are the baseline. */
  currentFrom: number
  endNs: bigint
}

/** Minutes `[from, to)` of an axis. */
export interface Episode {
  from: number
  to: number
}

/** From the baseline's start, or the Grid's first span where that is later, to the window's end. */
export function createMinuteAxis(
  baseline: TimeWindow,
  current: TimeWindow,
  firstSpanNs: bigint | undefined,
): MinuteAxis {
  const fromNs = firstSpanNs !== undefined && firstSpanNs > baseline.startNs ? firstSpanNs : baseline.startNs
  const startNs = minuteOf(fromNs < current.endNs ? fromNs : current.startNs)
  const length = Math.max(1, Number((current.endNs - startNs + NS_PER_MINUTE - 1n) / NS_PER_MINUTE))
  const covered = Array.from({ length }, (_, i) => coverOf(startNs + BigInt(i) * NS_PER_MINUTE, fromNs, current.endNs))
  const currentFrom = Math.max(0, Math.min(length, Number((minuteOf(current.startNs) - startNs) / NS_PER_MINUTE)))
  return { startNs, length, covered, currentFrom, endNs: current.endNs }
}

export function minuteOf(ns: bigint): bigint {
  return ns - (ns % NS_PER_MINUTE)
}

/** Where a minute stands on the axis; undefined where it is not on it. */
export function indexOn(axis: MinuteAxis, minuteNs: bigint): number | undefined {
  const index = placeOn(axis, minuteNs)
  return minuteNs >= axis.startNs && index < axis.length ? index : undefined
}

/** How many minutes after the axis' first one a minute is: less than 0 for those before it. */
export function placeOn({ startNs }: MinuteAxis, minuteNs: bigint): number {
  return Number((minuteNs - startNs) / NS_PER_MINUTE)
}

/** The time that an episode stands for, cut to what was asked about. */
export function windowOf(axis: MinuteAxis, { from, to }: Episode): TimeWindow {
  const endNs = axis.startNs + BigInt(to) * NS_PER_MINUTE
  return { startNs: axis.startNs + BigInt(from) * NS_PER_MINUTE, endNs: endNs < axis.endNs ? endNs : axis.endNs }
}

function coverOf(minuteNs: bigint, fromNs: bigint, endNs: bigint): number {
  const from = fromNs > minuteNs ? fromNs : minuteNs
  const to = endNs < minuteNs + NS_PER_MINUTE ? endNs : minuteNs + NS_PER_MINUTE
  return to > from ? Number(to - from) / Number(NS_PER_MINUTE) : 0
}
