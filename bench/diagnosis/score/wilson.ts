export interface Interval {
  low: number
  high: number
}

/** The normal quantile of 97.5 %. */
const Z = 1.959964

/** The 95 % interval of a share (Wilson's score interval), which is honest also for few cases and for all or none of them. */
export function wilsonInterval(successes: number, n: number): Interval {
  if (n === 0) return { low: 0, high: 1 }
  const share = successes / n
  const z2n = (Z * Z) / n
  const middle = (share + z2n / 2) / (1 + z2n)
  const half = (Z * Math.sqrt((share * (1 - share)) / n + z2n / (4 * n))) / (1 + z2n)
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) }
}
