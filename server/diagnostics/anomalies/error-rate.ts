import { fisherExactP } from '../statistics/fisher-exact.ts'
import { type Judge, shownNumber } from './judge.ts'
import { type MinuteSums, sumOf } from './minute-series.ts'

/** Every service is judged every minute: chance gets few openings. */
const P_VALUE_BELOW = 1e-6
const POINTS_MIN = 2
const FACTOR_MIN = 2
const ERRORS_MIN = 5
const CRITICAL_PERCENT = 25

export const errorRateJudge: Judge = {
  kind: 'error_rate',
  metric: 'error_rate',
  countsEmptyMinutes: false,
  runs: [3, 10],
  figureOf: percentOf,
  isFar: (percent, usual) => percent >= usual + POINTS_MIN && percent >= usual * FACTOR_MIN,
  isOff: (run, before) => sumOf(run).errors >= ERRORS_MIN && chanceOf(run, before) < P_VALUE_BELOW,
  isHigh: (minute, before) => percentOf(minute) > before + POINTS_MIN / 2,
  isBack: (figure, before) => figure <= before + Math.max(POINTS_MIN, before / 2),
  isCritical: ({ during }) => during >= CRITICAL_PERCENT,
  describe: ({ before, during }) => `error rate rose from ${shownNumber(before)}% to ${shownNumber(during)}%`,
  describeBack: (figure) => `error rate is back to ${shownNumber(figure)}%`,
}

function percentOf({ errors, requests }: MinuteSums): number {
  return requests === 0 ? 0 : (errors / requests) * 100
}

/** Errors that always come in bursts prove less: as much less as they scatter more than single ones would. */
function chanceOf(run: MinuteSums[], before: MinuteSums[]): number {
  const scatter = scatterOf(before)
  const [usual, now] = [before, run].map((minutes) => {
    const { errors, requests } = sumOf(minutes)
    return { part: Math.round(errors / scatter), whole: Math.round(requests / scatter) }
  }) as [{ part: number; whole: number }, { part: number; whole: number }]
  return fisherExactP(usual, now)
}

function scatterOf(minutes: MinuteSums[]): number {
  const rate = percentOf(sumOf(minutes)) / 100
  if (rate === 0 || rate === 1) return 1
  const parts = minutes.filter(({ requests }) => requests > 0)
  const scatter = parts.reduce((sum, { errors, requests }) => {
    return sum + (errors - requests * rate) ** 2 / (requests * rate * (1 - rate))
  }, 0)
  return Math.max(1, scatter / Math.max(1, parts.length - 1))
}
