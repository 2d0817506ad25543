/** With such a score, a diagnosis is right so often. */
export type Knot = readonly [score: number, confidence: number]

/**
 * From a raw score to how often a diagnosis with such a score named the service at fault.
 *
 * Fitted by isotonic regression (pool adjacent violators), as `bench:diagnosis --fit` does it, on the 408 diagnoses, first and
 * further ones, that were given with windows of 3 and 10 minutes for generated incidents with the seeds 1 to 135, quiet stretches
 * with the seeds 300 to 440, and the recorded incidents; joined by straight lines so that order is kept. Seeds from 10,000 on
 * were not looked at.
 */
const KNOTS: readonly Knot[] = [
  [0.409, 0.135],
  [0.593, 0.846],
  [0.699, 0.936],
  [0.805, 0.963],
  [0.892, 0.993],
]

/** Ascending in the score. */
export function calibrated(score: number, knots = KNOTS): number {
  for (const [i, [to, high]] of knots.entries()) {
    if (score > to) continue
    const [from, low] = knots[i - 1] ?? [0, 0]
    return low + ((high - low) * (Math.max(0, score) - from)) / (to - from)
  }
  return knots.at(-1)?.[1] ?? 1
}
