import { eventRatesP } from '../../statistics/event-rates.ts'
import type { Episode, MinuteAxis } from '../series/minute-axis.ts'
import type { MinuteSeries } from '../series/minute-series.ts'

export interface TrafficChange {
  /** Requests a minute. */
  before: number
  during: number
  factor: number
  /** Whether the rate stands out from how it varied before, and from what chance does to counts. */
  isBeyondChance: boolean
}

const CALM_MINUTES_MIN = 5
const P_VALUE_BELOW = 1e-6
/** Rates vary at least this much, as a logarithm, from minute to minute. */
const DEVIATION_MIN = 0.1
const DEVIATIONS = 3

/** How the rate of requests changed. Minutes that are hardly covered are left out. */
export function trafficChange(series: MinuteSeries, axis: MinuteAxis, episode: Episode, calm: number[]): TrafficChange {
  const ratesOf = (minutes: number[]) =>
    minutes.flatMap((minute) => {
      const covered = axis.covered[minute] ?? 0
      return covered >= 0.5 ? [(series.requests[minute] ?? 0) / covered] : []
    })
  const calmRates = ratesOf(calm)
  const duringRates = ratesOf(Array.from({ length: episode.to - episode.from }, (_, i) => episode.from + i))
  const [before, during] = [meanOf(calmRates), meanOf(duringRates)]
  const isKnown = calmRates.length >= CALM_MINUTES_MIN && duringRates.length > 0
  const distance = Math.abs(Math.log((during + 1) / (before + 1)))
  return {
    before,
    during,
    factor: during / Math.max(before, 1e-9),
    isBeyondChance:
      isKnown && distance > DEVIATIONS * unrest(calmRates) && chanceOf(calmRates, duringRates) < P_VALUE_BELOW,
  }
}

function chanceOf(calmRates: number[], duringRates: number[]): number {
  const countOf = (rates: number[]) => ({ events: Math.round(meanOf(rates) * rates.length), time: rates.length })
  return eventRatesP(countOf(calmRates), countOf(duringRates))
}

/** How much rates vary from minute to minute beyond what chance does to counts, as a logarithm. */
function unrest(rates: number[]): number {
  const logs = rates.map((rate) => Math.log(rate + 1))
  const mean = meanOf(logs)
  const variance = meanOf(logs.map((log) => (log - mean) ** 2))
  return Math.max(DEVIATION_MIN, Math.sqrt(Math.max(0, variance - 1 / (meanOf(rates) + 1))))
}

function meanOf(values: number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}
