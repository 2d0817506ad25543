import { normalTwoSidedP } from './normal-tail.ts'

/** Values, ascending, and how often each occurred: once, unless `counts` says otherwise. The same value may come again. */
export interface Sample {
  values: number[]
  counts?: number[]
}

export interface RankTest {
  pValue: number
  /** How likely a value of after is larger than one of before, where equal ones count half: 0.5 where neither is. */
  superiority: number
}

/**
 * The Mann-Whitney test, two-sided, with the correction for ties and for continuity, by the normal approximation: from about
 * ten values on each side it is as good as exact.
 */
export function rankTest(before: Sample, after: Sample): RankTest {
  const { below, wins, after: afterSize, ties, smallestStep } = comparePairs(before, after)
  const pairs = below * afterSize
  if (pairs === 0) return { pValue: 1, superiority: 0.5 }
  const size = below + afterSize
  const distance = Math.abs(wins - pairs / 2) - smallestStep / 2
  const deviation = Math.sqrt((pairs / 12) * (size + 1 - ties / size / (size - 1)))
  return { pValue: distance > 0 ? normalTwoSidedP(distance / deviation) : 1, superiority: wins / pairs }
}

interface Pairs {
  /** How many values there are of before, and of after. */
  below: number
  after: number
  /** Pairs in which the later value is the larger one. */
  wins: number
  /** The sum of n ** 3 - n over the numbers of equal values. */
  ties: number
  /**
   * By how much the wins change, at least, when two values change sides: 1 without ties, and much with few values, where the
   * test becomes the one of two proportions with Yates's correction.
   */
  smallestStep: number
}

function comparePairs(before: Sample, after: Sample): Pairs {
  const sum: Pairs = { below: 0, after: 0, wins: 0, ties: 0, smallestStep: Number.POSITIVE_INFINITY }
  let equalBefore = 0
  for (let i = 0, j = 0; i < before.values.length || j < after.values.length; ) {
    const value = Math.min(before.values[i] ?? Number.POSITIVE_INFINITY, after.values[j] ?? Number.POSITIVE_INFINITY)
    let earlier = 0
    let later = 0
    for (; before.values[i] === value; i++) earlier += before.counts ? (before.counts[i] as number) : 1
    for (; after.values[j] === value; j++) later += after.counts ? (after.counts[j] as number) : 1
    const equal = earlier + later
    if (equal === 0) continue
    sum.wins += later * (sum.below + earlier / 2)
    sum.below += earlier
    sum.after += later
    sum.ties += equal ** 3 - equal
    if (equalBefore > 0) sum.smallestStep = Math.min(sum.smallestStep, (equal + equalBefore) / 2)
    equalBefore = equal
  }
  return sum
}
