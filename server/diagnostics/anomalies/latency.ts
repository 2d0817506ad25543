import { type Judge, shownNumber } from './judge.ts'
import { deviationOf, type MinuteSums, slidingFigures, sumOf } from './minute-series.ts'

const FACTOR_MIN = 1.5
const ADDED_MS_MIN = 5
const BACK_FACTOR = 1.4
const DEVIATIONS_MIN = 6
/** Averages that hardly move still do not make a small change an anomaly. */
const DEVIATION_MIN_SHARE = 0.05
/** More than the slowest run of the hour before, by so much. */
const ABOVE_SLOWEST = 1.2
const REQUESTS_MIN = 30
const CRITICAL_FACTOR = 10

/** By the average, which is exact and cheap for every minute; single slow requests do not lift most minutes of a run. */
export const latencyJudge: Judge = {
  kind: 'latency',
  metric: 'latency',
  countsEmptyMinutes: false,
  runs: [3, 10],
  figureOf: averageMs,
  isFar: (averageMs, usualMs) => averageMs >= usualMs * FACTOR_MIN && averageMs >= usualMs + ADDED_MS_MIN,
  isOff(run, before) {
    const all = sumOf(run)
    if (all.requests < REQUESTS_MIN) return false
    const [now, usual] = [averageMs(all), averageMs(sumOf(before))]
    const runs = slidingFigures(before, run.length, (minutes) => averageMs(sumOf(minutes)))
    const deviation = Math.max(deviationOf(runs), usual * DEVIATION_MIN_SHARE)
    if (now < usual + DEVIATIONS_MIN * deviation || now < ABOVE_SLOWEST * Math.max(...runs)) return false
    return isAmongSlowest(run.map(averageMs), before.map(averageMs))
  },
  isHigh: (minute, before) => averageMs(minute) > before * ((1 + FACTOR_MIN) / 2),
  isBack: (figure, before) => figure <= Math.max(before * BACK_FACTOR, before + ADDED_MS_MIN),
  isCritical: ({ before, during }) => during >= before * CRITICAL_FACTOR,
  describe: ({ before, during }) => `average latency rose from ${shownNumber(before)} ms to ${shownNumber(during)} ms`,
  describeBack: (figure) => `average latency is back to ${shownNumber(figure)} ms`,
}

/**
 * Averages of few requests scatter widely, and no deviation says how widely. But whatever they do, three minutes in a row
 * are the slowest of an hour once in forty thousand times, and six of ten are among its slowest twentieth more rarely.
 */
function isAmongSlowest(run: number[], before: number[]): boolean {
  const slowestFirst = before.toSorted((a, b) => b - a)
  const [rank, count] =
    run.length <= 3 ? [0, run.length] : [Math.floor(before.length / 20), Math.ceil(run.length * 0.6)]
  const limit = slowestFirst[rank] ?? 0
  return run.filter((value) => value > limit).length >= count
}

function averageMs({ durationMs, requests }: MinuteSums): number {
  return requests === 0 ? 0 : durationMs / requests
}
