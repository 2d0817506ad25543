/** How long something took, over its repetitions. */
export interface Timing {
  medianMs: number
  p99Ms: number
  count: number
}

export const NO_ANSWER: Timing = { medianMs: Number.NaN, p99Ms: Number.NaN, count: 0 }

const REPETITIONS_MIN = 5
const WARM_UPS = 2

/** Repeats until the time is over or it was done often enough; the first ones only warm up. */
export async function repeated(
  work: (i: number) => Promise<unknown>,
  { repetitions = 100, withinMs = 10_000 } = {},
): Promise<Timing> {
  const tookMs: number[] = []
  const startedMs = performance.now()
  for (let i = 0; tookMs.length < repetitions; i++) {
    const beganMs = performance.now()
    await work(i)
    if (i >= WARM_UPS) tookMs.push(performance.now() - beganMs)
    if (tookMs.length >= REPETITIONS_MIN && performance.now() - startedMs > withinMs) break
  }
  return timingOf(tookMs)
}

export function timingOf(tookMs: number[]): Timing {
  const sorted = tookMs.sort((a, b) => a - b)
  const nearestRank = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
  return { medianMs: nearestRank(0.5), p99Ms: nearestRank(0.99), count: sorted.length }
}
