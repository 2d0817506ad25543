import { type Judge, shownNumber } from './judge.ts'
import { deviationOf, type MinuteSums, slidingFigures, sumOf } from './minute-series.ts'

const FACTOR_MIN = 1.5
const ADDED_MS_MIN = 5
const DEVIATIONS_MIN = 6
/** Averages that hardly move still do not make a small change an anomaly. */
const DEVIATION_MIN_SHARE = 0.05
/** More than the slowest run of the hour before, by so much. */
const ABOVE_SLOWEST = 1.2
const REQUESTS_MIN = 10
const CRITICAL_FACTOR = 10

/** By the average, which is exact and cheap for every minute; single slow requests do not lift most minutes of a run. */
export const latencyJudge: Judge = {
  kind: 'latency',
  metric: 'latency',
  countsEmptyMinutes: false,
  runs: [3, 10],
  figureOf: averageMs,
  isOff(run, before) {
    const [now, usual] = [averageMs(run), averageMs(before)]
    if (sumOf(run).requests < REQUESTS_MIN || now < usual * FACTOR_MIN || now < usual + ADDED_MS_MIN) return false
    const runs = slidingFigures(before, run.length, averageMs)
    const deviation = Math.max(deviationOf(runs), usual * DEVIATION_MIN_SHARE)
    return now > usual + DEVIATIONS_MIN * deviation && now > ABOVE_SLOWEST * Math.max(...runs)
  },
  isHigh: (minute, before) => averageMs([minute]) > before * ((1 + FACTOR_MIN) / 2),
  isBack: (figure, { before, during }) => figure <= before + Math.max(before * 0.25, (during - before) / 4),
  isCritical: ({ before, during }) => during >= before * CRITICAL_FACTOR,
  describe: ({ before, during }) => `average latency rose from ${shownNumber(before)} ms to ${shownNumber(during)} ms`,
  describeBack: (figure) => `average latency is back to ${shownNumber(figure)} ms`,
}

function averageMs(minutes: MinuteSums[]): number {
  const { durationMs, requests } = sumOf(minutes)
  return requests === 0 ? 0 : durationMs / requests
}
