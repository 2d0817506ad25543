import type { MinuteSeries } from './minute-series.ts'

const REQUESTS_MIN = 10
const ERRORS_MIN = 3
const ERROR_POINTS_MIN = 0.02
const SLOW_FACTOR_MIN = 1.5
const IN_A_ROW_MIN = 2

/**
 * Minutes in which far more failed, or all took far longer, than in most, two in a row: a rough sieve for very long series,
 * in which it is too dear to try every stretch.
 */
export function restlessMinutes({ requests, errors, durationMs }: MinuteSeries): number[] {
  const busy = [...requests.keys()].filter((minute) => (requests[minute] ?? 0) >= REQUESTS_MIN)
  const share = (minute: number) => (errors[minute] ?? 0) / (requests[minute] ?? 1)
  const mean = (minute: number) => (durationMs[minute] ?? 0) / (requests[minute] ?? 1)
  const usualShare = medianOf(busy.map(share))
  const usualMean = medianOf(busy.map(mean))
  const isBad = (minute: number) =>
    ((errors[minute] ?? 0) >= ERRORS_MIN && share(minute) >= usualShare + ERROR_POINTS_MIN) ||
    mean(minute) >= SLOW_FACTOR_MIN * usualMean
  const bad = new Set(busy.filter(isBad))
  return [...bad].filter((minute) => inARow(bad, minute) >= IN_A_ROW_MIN)
}

function inARow(minutes: Set<number>, minute: number): number {
  let from = minute
  let to = minute
  while (minutes.has(from - 1)) from--
  while (minutes.has(to + 1)) to++
  return to - from + 1
}

function medianOf(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
