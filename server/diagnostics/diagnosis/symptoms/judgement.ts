import type { Episode, MinuteAxis } from '../series/minute-axis.ts'

/** After correction for everything that was compared. */
export const P_VALUE_BELOW = 0.01

/** An incident that is over must have lasted this long to be spoken of: a hiccup that healed by itself is noise. */
const RECOVERED_MINUTES_MIN = 2

/** Whether an episode is one of the window: still going on, or one that lasted in it. */
export function isCurrent({ from, to }: Episode, axis: MinuteAxis, counts: number[]): boolean {
  return isLasting({ from, to }, axis, counts) || to - Math.max(from, axis.currentFrom) >= RECOVERED_MINUTES_MIN
}

/** The newest minute has just begun and may hold nothing yet. Where nothing came after it, nothing says that it is over. */
export function isLasting({ to }: Episode, axis: MinuteAxis, counts: number[]): boolean {
  return to >= axis.length - 1 || (to > axis.currentFrom && counts.slice(to).every((count) => count === 0))
}

/** What lasted since the first request that is known of is how things were: its end is a change for the better. */
export function hasBefore({ from }: Episode, requests: number[]): boolean {
  return requests.slice(0, from).some((count) => count > 0)
}
