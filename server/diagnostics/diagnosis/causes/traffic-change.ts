import type { Episode, MinuteAxis } from '../series/minute-axis.ts'
import type { MinuteSeries } from '../series/minute-series.ts'

export interface TrafficChange {
  /** Requests a minute. */
  before: number
  during: number
  factor: number
  /** Whether the rate stands out from how it varied before. */
  isBeyondChance: boolean
}

/** Rates vary at least this much, as a logarithm, from minute to minute. */
const DEVIATION_MIN = 0.1
const DEVIATIONS = 6

/** How the rate of requests changed. Minutes that are hardly covered are left out. */
export function trafficChange(series: MinuteSeries, axis: MinuteAxis, episode: Episode, calm: number[]): TrafficChange {
  const ratesOf = (minutes: number[]) =>
    minutes.flatMap((i) => {
      const covered = axis.covered[i] ?? 0
      return covered >= 0.5 ? [(series.requests[i] ?? 0) / covered] : []
    })
  const calmRates = ratesOf(calm)
  const duringRates = ratesOf(Array.from({ length: episode.to - episode.from }, (_, i) => episode.from + i))
  const before = meanOf(calmRates)
  const during = meanOf(duringRates)
  // Chance alone makes counts vary by their square root.
  const chance = 1 / Math.sqrt(Math.max(1, before))
  const deviation = Math.max(DEVIATION_MIN, deviationOf(calmRates.map((rate) => Math.log(rate + 1))), chance)
  const distance = Math.abs(Math.log((during + 1) / (before + 1)))
  return {
    before,
    during,
    factor: during / Math.max(before, 1e-9),
    isBeyondChance:
      calmRates.length >= 5 && distance * Math.sqrt(Math.max(1, duringRates.length)) > DEVIATIONS * deviation,
  }
}

function meanOf(values: number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}

function deviationOf(values: number[]): number {
  const mean = meanOf(values)
  return Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)))
}
