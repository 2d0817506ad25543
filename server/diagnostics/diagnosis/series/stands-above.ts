import type { Episode } from './minute-axis.ts'

/** How far back the time before an episode is compared with it. */
const BEFORE_MINUTES_MAX = 30
/** With less time before it than this, what came after decides. */
const BEFORE_MINUTES_MIN = 5

/** The level of a stretch of minutes; undefined where it has none. */
export type LevelOf = (stretch: Episode) => number | undefined

/**
 * Whether a stretch is a rise, and not the usual state that ended with a fall: its level is above that of the time before it,
 * by what `isAbove` asks for. Where there is hardly any time before, the stretch must be the shorter part and what came after
 * must be lower.
 */
export function standsAbove(
  { from, to }: Episode,
  length: number,
  levelOf: LevelOf,
  isAbove: (level: number, other: number) => boolean,
): boolean {
  const level = levelOf({ from, to })
  if (level === undefined) return false
  const before =
    from >= BEFORE_MINUTES_MIN ? levelOf({ from: Math.max(0, from - BEFORE_MINUTES_MAX), to: from }) : undefined
  if (before !== undefined) return isAbove(level, before)
  const after = levelOf({ from: to, to: length })
  return after !== undefined && to - from < length / 2 && isAbove(level, after)
}
