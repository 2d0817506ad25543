/** Sums over any stretch of a series, each by one subtraction. */
export interface PrefixSums {
  readonly total: number
  over(from: number, to: number): number
}

export function prefixSums(values: ArrayLike<number>): PrefixSums {
  const sums = new Float64Array(values.length + 1)
  for (let i = 0; i < values.length; i++) sums[i + 1] = (sums[i] ?? 0) + (values[i] ?? 0)
  return {
    total: sums[values.length] ?? 0,
    over: (from, to) => (sums[to] ?? 0) - (sums[from] ?? 0),
  }
}

/**
 * How many stretches of so many minutes differ enough to count as tried: most of the half square of them overlap so much
 * that they stand or fall together.
 */
export function stretchesTried(minutes: number): number {
  return 4 * minutes
}
