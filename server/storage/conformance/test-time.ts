import { NS_PER_HOUR, type TimeWindow } from '../../domain/time-window.ts'

/** The moment that literals count from: a whole hour, so that multiples of an hour are hour borders. */
export const BASE_NS = BigInt(Date.UTC(2026, 2, 1, 10)) * 1_000_000n

export const MS_PER_HOUR = 3_600_000

export function atNs(ms: number): bigint {
  return BASE_NS + BigInt(Math.round(ms * 1e6))
}

/** From so many milliseconds after the base, to (but without) so many. */
export function windowMs(startMs: number, endMs: number): TimeWindow {
  return { startNs: atNs(startMs), endNs: atNs(endMs) }
}

/** Wide enough for everything that a literal places by milliseconds. */
export const WHOLE_WINDOW: TimeWindow = { startNs: BASE_NS - 100n * NS_PER_HOUR, endNs: BASE_NS + 100n * NS_PER_HOUR }

/** A day around the base: questions that look back 24 hours from the window's end see just this window. */
export const DAY_WINDOW: TimeWindow = windowMs(-12 * MS_PER_HOUR, 12 * MS_PER_HOUR)
