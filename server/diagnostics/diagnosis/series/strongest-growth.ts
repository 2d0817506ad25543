import { normalTwoSidedP } from '../../statistics/normal-tail.ts'
import type { Episode } from './minute-axis.ts'
import { prefixSums, stretchesTried } from './prefix-sums.ts'
import { standsAbove } from './stands-above.ts'

/** A mean, and of how many, by minute. Minutes with a count of 0 have no mean and are passed over. */
export interface MeansByMinute {
  means: number[]
  counts: number[]
}

export interface Growth extends Episode {
  /** How many times as large the mean is as in the other minutes, geometrically. */
  factor: number
  /** Corrected for all the stretches that were tried. */
  pValue: number
}

const COUNT_MIN = 5
const REST_COUNT_MIN = 30
const REST_MINUTES_MIN = 5
/** What stands out less than this, in standard deviations, never stands up to all the stretches that are tried. */
const SCORE_MIN = 4
/** Half as long as usual. */
const FAR_BELOW = Math.log(2)
/** Means must have grown this much, as a logarithm, against the time just before. */
const GROWTH_MIN = Math.log(1.2)
/** More requests than this in a minute hardly make its mean steadier: what minutes differ by is not only chance. */
const STEADY_COUNT = 30
/** How many of the steps from minute to minute may be those into trouble and out of it. */
const TROUBLE_STEPS = 4
/** No series is believed to be steadier than this, as a logarithm, however calm it was. */
const DEVIATION_MIN = 0.3

/**
 * The stretch of minutes whose means stand out most above all others, if any does. Judged by logarithms, because times grow
 * by factors, and against how much neighbouring minutes differ, which a step up or down hardly changes.
 */
export function strongestGrowth({ means, counts }: MeansByMinute): Growth | undefined {
  const { logs, weights, levelIn } = leveled({ means, counts })
  const count = prefixSums(counts)
  const weight = prefixSums(weights)
  const sum = prefixSums(logs.map((log, i) => log * (weights[i] ?? 0)))
  const { length } = means
  const scale = deviationOf(logs, weights)
  let best: Growth | undefined
  let bestScore = SCORE_MIN
  for (let from = 0; from < length; from++) {
    if (!weights[from]) continue
    for (let to = from + 1; to <= length && length - (to - from) >= REST_MINUTES_MIN; to++) {
      if (!weights[to - 1]) continue
      const n = count.over(from, to)
      if (n < COUNT_MIN || count.total - n < REST_COUNT_MIN) continue
      const own = weight.over(from, to)
      const rest = weight.total - own
      const difference = sum.over(from, to) / own - (sum.total - sum.over(from, to)) / rest
      const score = difference / (scale * Math.sqrt(1 / own + 1 / rest))
      if (score > bestScore && standsAbove({ from, to }, length, levelIn, isAbove)) {
        bestScore = score
        best = { from, to, factor: Math.exp(difference), pValue: 1 }
      }
    }
  }
  return best && { ...best, pValue: Math.min(1, normalTwoSidedP(bestScore) * stretchesTried(length)) }
}

/** Whether a stretch, put together of several, is above the time before it. */
export function isGrowth(series: MeansByMinute, episode: Episode): boolean {
  return standsAbove(episode, series.means.length, leveled(series).levelIn, isAbove)
}

function leveled({ means, counts }: MeansByMinute) {
  const weights = means.map((mean, i) => (mean > 0 ? weightOf(counts[i] ?? 0) : 0))
  const logs = raised(
    means.map((mean, i) => (weights[i] ? Math.log(mean) : 0)),
    weights,
  )
  // The median, because a minute of fast failures is far below what is usual.
  const levelIn = (minutes: number[]) =>
    medianOf(minutes.filter((minute) => weights[minute]).map((minute) => logs[minute] as number))
  return { logs, weights, levelIn }
}

/**
 * Logarithms with those far below the usual raised to a bound: failures are often fast, and a few minutes of them would make
 * every usual minute look slow.
 */
function raised(logs: number[], weights: number[]): number[] {
  const usual = medianOf(logs.filter((_, i) => weights[i])) ?? 0
  return logs.map((log) => Math.max(log, usual - FAR_BELOW))
}

/** One over the variance of a minute's mean, up to a factor. */
function weightOf(count: number): number {
  return count === 0 ? 0 : (count * STEADY_COUNT) / (count + STEADY_COUNT)
}

/** Of a mean of weight 1: robust, from neighbouring minutes. */
function deviationOf(logs: number[], weights: number[]): number {
  const known = [...logs.keys()].filter((i) => (weights[i] ?? 0) > 0)
  const steps = known.slice(1).map((i, before) => {
    const previous = known[before] as number
    const difference = Math.abs((logs[i] as number) - (logs[previous] as number))
    return difference / Math.sqrt(1 / (weights[i] as number) + 1 / (weights[previous] as number))
  })
  return Math.max(DEVIATION_MIN, 1.4826 * (medianOf(steps) ?? 0), usualStep(steps))
}

/** The root of the mean square of all but the largest steps, which may be those into trouble and out of it. */
function usualStep(steps: number[]): number {
  const usual = steps.toSorted((a, b) => a - b).slice(0, Math.max(0, steps.length - TROUBLE_STEPS))
  return Math.sqrt(usual.reduce((sum, step) => sum + step * step, 0) / Math.max(1, usual.length))
}

function isAbove(level: number, other: number): boolean {
  return level - other >= GROWTH_MIN
}

function medianOf(values: number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}
