import { fisherExactP, type Share } from '../../statistics/fisher-exact.ts'
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
export interface RiseLimits {
  partsMin: number
  wholesMin: number
  restWholesMin: number
}

const USUAL_LIMITS: RiseLimits = { partsMin: 5, wholesMin: 10, restWholesMin: 30 }
const REST_MINUTES_MIN = 5
/** What explains less than this, as a logarithm, never stands up to all the stretches that are tried. */
const GAIN_MIN = 7
/** A share must have risen this many times against the time just before. */
const RISE_FACTOR_MIN = 1.5

/** The stretch of minutes whose share stands out most against all other minutes, if any does: a scan of every stretch. */
export function strongestRise({ parts, wholes }: PartsByMinute, limits = USUAL_LIMITS): Rise | undefined {
  const { partsMin, wholesMin, restWholesMin } = limits
  const part = prefixSums(parts)
  const whole = prefixSums(wholes)
  const { length } = parts
  if (part.total < partsMin) return undefined
  const shareIn = (minutes: number[]) => shareOver({ parts, wholes }, minutes)
  const likelihoodTogether = logLikelihood(part.total, whole.total)
  const share = part.total / whole.total
  const variance = share * (1 - share)
  let best: Episode | undefined
  let bestGain = GAIN_MIN
  for (let from = 0; from < length; from++) {
    // A stretch that begins or ends with a minute without any is never better than the one without that minute.
    if (!parts[from]) continue
    for (let to = from + 1; to <= length && length - (to - from) >= REST_MINUTES_MIN; to++) {
      if (!parts[to - 1]) continue
      // Numbers and no objects: there are thousands of stretches, of thousands of series.
      const [partIn, wholeIn] = [part.over(from, to), whole.over(from, to)]
      const [partRest, wholeRest] = [part.total - partIn, whole.total - wholeIn]
      if (partIn < partsMin || wholeIn < wholesMin || wholeRest < restWholesMin) continue
      if (partIn * wholeRest <= partRest * wholeIn) continue
      // The gain is never more than this (what two shares differ by, squared), which spares most stretches the logarithms.
      const excess = partIn - share * wholeIn
      if (excess * excess * (1 / wholeIn + 1 / wholeRest) <= bestGain * variance) continue
      const gain = logLikelihood(partIn, wholeIn) + logLikelihood(partRest, wholeRest) - likelihoodTogether
      if (gain <= bestGain || !standsAbove({ from, to }, length, shareIn, isAbove)) continue
      bestGain = gain
      best = { from, to }
    }
  }
  if (best === undefined) return undefined
  const inside = { part: part.over(best.from, best.to), whole: whole.over(best.from, best.to) }
  const rest = { part: part.total - inside.part, whole: whole.total - inside.whole }
  return { ...best, pValue: Math.min(1, fisherExactP(rest, inside) * stretchesTried(length)) }
}

/**
 * How likely chance makes a stretch stand out so much against calm minutes, corrected for all the stretches that were tried.
 * A share that varies between calm minutes more than chance explains asks for more.
 */
export function chanceOfRise(counts: PartsByMinute, { from, to }: Episode, calm: number[]): number {
  const sum = (values: number[], minutes: number[]) => minutes.reduce((total, i) => total + (values[i] ?? 0), 0)
  const stretch = Array.from({ length: to - from }, (_, i) => from + i)
  const inside = { part: sum(counts.parts, stretch), whole: sum(counts.wholes, stretch) }
  const rest = { part: sum(counts.parts, calm), whole: sum(counts.wholes, calm) }
  const distance = Math.sqrt((2 * gainOf(inside, rest)) / unrest(counts, calm))
  const p = Math.max(normalTwoSidedP(distance), fisherExactP(rest, inside))
  return Math.min(1, p * stretchesTried(counts.parts.length))
}

/** By how much two shares explain the counts better than one share, as a logarithm; 0 where the share fell. */
function gainOf(inside: Share, rest: Share): number {
  if (inside.part * rest.whole <= rest.part * inside.whole) return 0
  const together = logLikelihood(inside.part + rest.part, inside.whole + rest.whole)
  return logLikelihood(inside.part, inside.whole) + logLikelihood(rest.part, rest.whole) - together
}

function logLikelihood(part: number, whole: number): number {
  if (part <= 0 || part >= whole) return 0
  return part * Math.log(part / whole) + (whole - part) * Math.log(1 - part / whole)
}

/** How much more the share varies between minutes than chance explains; at least 1. */
function unrest({ parts, wholes }: PartsByMinute, minutes: number[]): number {
  const busy = minutes.filter((minute) => (wholes[minute] ?? 0) > 0)
  const sum = (values: number[]) => busy.reduce((total, minute) => total + (values[minute] ?? 0), 0)
  // Half a part more keeps a share of 0 from making the first failure infinitely surprising.
  const share = (sum(parts) + 0.5) / (sum(wholes) + 1)
  const squares = busy.map((minute) => {
    const n = wholes[minute] ?? 0
    return ((parts[minute] ?? 0) - n * share) ** 2 / (n * share * (1 - share))
  })
  return Math.max(1, squares.reduce((total, square) => total + square, 0) / Math.max(1, busy.length - 1))
}

function shareOver({ parts, wholes }: PartsByMinute, minutes: number[]): number | undefined {
  const whole = minutes.reduce((sum, minute) => sum + (wholes[minute] ?? 0), 0)
  return whole === 0 ? undefined : minutes.reduce((sum, minute) => sum + (parts[minute] ?? 0), 0) / whole
}

function isAbove(share: number, other: number): boolean {
  return share >= RISE_FACTOR_MIN * other
}
