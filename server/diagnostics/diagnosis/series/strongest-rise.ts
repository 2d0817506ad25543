import { fisherExactP } from '../../statistics/fisher-exact.ts'
import { normalTwoSidedP } from '../../statistics/normal-tail.ts'
import type { Episode } from './minute-axis.ts'
import { prefixSums, stretchesTried } from './prefix-sums.ts'
import { standsAbove } from './stands-above.ts'

/** How many of how many, by minute. */
export interface PartsByMinute {
  parts: number[]
  wholes: number[]
}

export interface Rise extends Episode {
  /** Corrected for all the stretches that were tried. */
  pValue: number
}

/** What is compared must be this much, so that a rise is no accident of a few requests. */
const PARTS_MIN = 5
const WHOLES_MIN = 10
const REST_WHOLES_MIN = 30
const REST_MINUTES_MIN = 5
/** A share must have risen this many times against the time just before. */
const RISE_FACTOR_MIN = 1.5

/**
 * The stretch of minutes whose share stands out most against all other minutes, if any does: a scan of every stretch by its
 * likelihood ratio. Shares that vary from minute to minute more than chance explains ask for more.
 */
export function strongestRise({ parts, wholes }: PartsByMinute): Rise | undefined {
  const part = prefixSums(parts)
  const whole = prefixSums(wholes)
  if (part.total < PARTS_MIN) return undefined
  const { length } = parts
  let best: Episode | undefined
  let bestGain = 0
  const shareIn = ({ from, to }: Episode) => {
    const n = whole.over(from, to)
    return n === 0 ? undefined : part.over(from, to) / n
  }
  for (let from = 0; from < length; from++) {
    // A stretch that begins or ends with a minute without any is never better than the one without that minute.
    if (!parts[from]) continue
    for (let to = from + 1; to <= length && length - (to - from) >= REST_MINUTES_MIN; to++) {
      if (!parts[to - 1]) continue
      const k = part.over(from, to)
      const n = whole.over(from, to)
      if (k < PARTS_MIN || n < WHOLES_MIN || whole.total - n < REST_WHOLES_MIN) continue
      const gain = gainOf(k, n, part.total - k, whole.total - n)
      if (gain > bestGain && standsAbove({ from, to }, length, shareIn, isAbove)) {
        bestGain = gain
        best = { from, to }
      }
    }
  }
  return best && { ...best, pValue: pValueOf({ parts, wholes }, best, bestGain) }
}

/** By how much two shares explain the counts better than one share, as a logarithm; 0 where the share fell. */
function gainOf(k: number, n: number, restK: number, restN: number): number {
  if (k * restN <= restK * n) return 0
  return logLikelihood(k, n) + logLikelihood(restK, restN) - logLikelihood(k + restK, n + restN)
}

function logLikelihood(k: number, n: number): number {
  if (k <= 0 || k >= n) return 0
  return k * Math.log(k / n) + (n - k) * Math.log(1 - k / n)
}

function pValueOf(counts: PartsByMinute, { from, to }: Episode, gain: number): number {
  const { parts, wholes } = counts
  const inside = { part: prefixSums(parts).over(from, to), whole: prefixSums(wholes).over(from, to) }
  const rest = {
    part: prefixSums(parts).total - inside.part,
    whole: prefixSums(wholes).total - inside.whole,
  }
  const p = Math.max(normalTwoSidedP(Math.sqrt((2 * gain) / unrest(counts, { from, to }))), fisherExactP(rest, inside))
  return Math.min(1, p * stretchesTried(parts.length))
}

/** How much more the share varied between the other minutes than chance explains; at least 1. */
function unrest({ parts, wholes }: PartsByMinute, { from, to }: Episode): number {
  const rest = [...parts.keys()].filter((i) => (i < from || i >= to) && (wholes[i] ?? 0) > 0)
  const sum = (values: number[]) => rest.reduce((total, i) => total + (values[i] ?? 0), 0)
  // Half a part more keeps a share of 0 from making the first failure infinitely surprising.
  const share = (sum(parts) + 0.5) / (sum(wholes) + 1)
  const squares = rest.map((i) => {
    const n = wholes[i] ?? 0
    return ((parts[i] ?? 0) - n * share) ** 2 / (n * share * (1 - share))
  })
  return Math.max(1, squares.reduce((total, square) => total + square, 0) / Math.max(1, rest.length - 1))
}

function isAbove(share: number, other: number): boolean {
  return share >= RISE_FACTOR_MIN * other
}
