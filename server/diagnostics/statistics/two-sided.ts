/** A distribution over whole numbers that rises to its most likely value and falls from there. */
export interface CountDistribution {
  /** The least and the largest value that can occur. */
  from: number
  to: number
  lnProbability(value: number): number
  /** How many times more likely `value + 1` is than `value`. */
  ratioUp(value: number): number
}

/** Probabilities this close, relatively, are equal: the same tolerance as in other programs for these tests. */
const EQUAL_WITHIN = 1e-7
/** What comes after a term this small, relative to the sum, changes no digit of it. */
const NEGLIGIBLE = 1e-17

/**
 * The probability of all values that are at most as likely as the observed one: the exact two-sided p-value. Takes about as
 * many steps as the distribution has values within a few standard deviations, not as many as it has values.
 */
export function twoSidedP(distribution: CountDistribution, observed: number): number {
  const { from, to, lnProbability } = distribution
  const peak = firstFrom(from, to, (value) => distribution.ratioUp(value) <= 1)
  const limit = lnProbability(observed) + EQUAL_WITHIN
  if (lnProbability(peak) <= limit) return 1
  const below = (value: number) => lnProbability(value) <= limit
  const upper = observed > peak ? observed : firstFrom(peak, to + 1, below)
  const lower = observed < peak ? observed : -firstFrom(-peak, 1 - from, (value) => below(-value))
  return Math.min(1, tail(distribution, lower, -1) + tail(distribution, upper, 1))
}

/** The first whole number of `[from, end)` from which on something holds; `end` where it never does. */
function firstFrom(from: number, end: number, holds: (value: number) => boolean): number {
  let low = from
  let high = end
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

function tail({ from, to, lnProbability, ratioUp }: CountDistribution, start: number, step: 1 | -1): number {
  if (start < from || start > to) return 0
  let term = Math.exp(lnProbability(start))
  let sum = term
  for (let value = start; term > sum * NEGLIGIBLE && value + step >= from && value + step <= to; value += step) {
    term *= step === 1 ? ratioUp(value) : 1 / ratioUp(value - 1)
    sum += term
  }
  return sum
}
