import { normalTwoSidedP } from './normal-tail.ts'

/** A value, and how often it occurred before and after. */
export interface ValueCounts {
  value: number
  before: number
  after: number
}

export interface RankTest {
  pValue: number
  /** How likely a value of after is larger than one of before, where equal ones count half: 0.5 where neither is. */
  superiority: number
}

/**
 * The Mann-Whitney test, two-sided, with the correction for ties and for continuity, by the normal approximation: from about
 * ten values on each side it is as good as exact. Each value comes once, in any order.
 */
export function rankTest(counts: ValueCounts[]): RankTest {
  const ascending = counts.toSorted((a, b) => a.value - b.value)
  const sizes = { before: sumOf(counts, 'before'), after: sumOf(counts, 'after') }
  const pairs = sizes.before * sizes.after
  if (pairs === 0) return { pValue: 1, superiority: 0.5 }
  const wins = winsOfAfter(ascending)
  const distance = Math.abs(wins - pairs / 2) - smallestStep(ascending) / 2
  const deviation = Math.sqrt((pairs / 12) * tieFactor(counts, sizes.before + sizes.after))
  return { pValue: distance > 0 ? normalTwoSidedP(distance / deviation) : 1, superiority: wins / pairs }
}

/** Pairs in which the later value is the larger one. */
function winsOfAfter(ascending: ValueCounts[]): number {
  let below = 0
  let wins = 0
  for (const { before, after } of ascending) {
    wins += after * (below + before / 2)
    below += before
  }
  return wins
}

/**
 * By how much the wins change, at least, when two values change sides: 1 without ties, and much with few values, where the
 * test becomes the one of two proportions with Yates's correction.
 */
function smallestStep(ascending: ValueCounts[]): number {
  let step = Number.POSITIVE_INFINITY
  for (const [i, { before, after }] of ascending.entries()) {
    const next = ascending[i + 1]
    if (next) step = Math.min(step, (before + after + next.before + next.after) / 2)
  }
  return step
}

/** `size + 1` without ties, and less the more there are. */
function tieFactor(counts: ValueCounts[], size: number): number {
  const ties = counts.reduce((sum, { before, after }) => sum + tiesOf(before + after) / size, 0)
  return size + 1 - ties / (size - 1)
}

function tiesOf(equal: number): number {
  return equal ** 3 - equal
}

function sumOf(counts: ValueCounts[], side: 'before' | 'after'): number {
  return counts.reduce((sum, each) => sum + each[side], 0)
}
