import type { Episode } from './minute-axis.ts'

/** How far back the time before an episode is compared with it. */
const BEFORE_MINUTES_MAX = 30
/** With less time before it than this, what came after decides. */
const BEFORE_MINUTES_MIN = 5
/** Then there must be so many times as much of that: what was first is the usual state, if in doubt. */
const AFTER_FACTOR_MIN = 2

/** The level of these minutes; undefined where they have none. */
export type LevelOf = (minutes: number[]) => number | undefined

/**
 * Whether a stretch is a rise, and not the usual state that ended with a fall: its level is above that of the time before it,
 * by what `isAbove` asks for; or, where there is hardly any time before, above that of all other minutes.
 */
export function standsAbove(
  { from, to }: Episode,
  length: number,
  levelOf: LevelOf,
  isAbove: (level: number, other: number) => boolean,
): boolean {
  const level = levelOf(range(from, to))
  const before = from >= BEFORE_MINUTES_MIN ? levelOf(range(Math.max(0, from - BEFORE_MINUTES_MAX), from)) : undefined
  if (level === undefined) return false
  if (before !== undefined) return isAbove(level, before)
  const others = levelOf([...range(0, from), ...range(to, length)])
  return others !== undefined && length - to >= AFTER_FACTOR_MIN * to && isAbove(level, others)
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i)
}
