/** The percentile of a number of durations: to be met exactly below 1,000 of them, and within 1 % otherwise. */
export class Percentile {
  readonly ms: number
  readonly isExact: boolean

  constructor(durationsNs: number[], percent: number) {
    const sorted = Float64Array.from(durationsNs).sort()
    this.ms = (sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? 0) / 1e6
    this.isExact = sorted.length < 1000
  }

  isMetBy(value: number): boolean {
    return Math.abs(value - this.ms) <= (this.isExact ? 0 : this.ms / 100) + HALF_OF_2_DECIMALS
  }
}

/** A number per second, which is shown with 4 decimals. */
export class Rate {
  readonly perSecond: number

  constructor(perSecond: number) {
    this.perSecond = perSecond
  }
}

const HALF_OF_2_DECIMALS = 0.005_000_001
const HALF_OF_4_DECIMALS = 0.000_050_001

/** Where an answer is not what was computed, in words. Numbers are met when they are rounded to 2 decimals. */
export function mismatches(actual: unknown, expected: unknown, path: string): string[] {
  if (expected instanceof Percentile) {
    const isMet = typeof actual === 'number' && expected.isMetBy(actual)
    return isMet ? [] : [`${path} is ${String(actual)} instead of ${expected.isExact ? '' : 'about '}${expected.ms}`]
  }
  if (expected instanceof Rate) return near(actual, expected.perSecond, HALF_OF_4_DECIMALS, path)
  if (typeof expected === 'number') return near(actual, expected, HALF_OF_2_DECIMALS, path)
  if (typeof expected !== 'object' || expected === null)
    return actual === expected ? [] : [`${path} is ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`]
  if (typeof actual !== 'object' || actual === null) return [`${path} is ${String(actual)}`]
  const keys = new Set([...Object.keys(actual), ...Object.keys(expected)])
  return [...keys].flatMap((key) => mismatches((actual as Fields)[key], (expected as Fields)[key], `${path}.${key}`))
}

type Fields = Record<string, unknown>

function near(actual: unknown, expected: number, tolerance: number, path: string): string[] {
  const isMet = typeof actual === 'number' && Math.abs(actual - expected) <= tolerance
  return isMet ? [] : [`${path} is ${String(actual)} instead of ${expected}`]
}
