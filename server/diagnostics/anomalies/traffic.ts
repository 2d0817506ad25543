import { type Judge, shownNumber } from './judge.ts'
import { deviationOf, type MinuteSums, slidingFigures, sumOf } from './minute-series.ts'

const DROP_FACTOR = 0.5
const SURGE_FACTOR = 2
/** More than the busiest minutes of the hour before, by so much. */
const ABOVE_BUSIEST = 1.5
const DEVIATIONS_MIN = 6
/** Traffic follows the hours of the day: what it did just before counts as much as the whole hour. */
const JUST_BEFORE_MINUTES = 15
const CRITICAL_DROP_FACTOR = 0.05

const common = {
  metric: 'throughput',
  countsEmptyMinutes: true,
  figureOf: ({ requests }: MinuteSums, minutes: number) => requests / Math.max(1, minutes),
  describeBack: (figure: number) => `throughput is back to ${requestsPerMinute(figure)}`,
} as const

export const trafficDropJudge: Judge = {
  ...common,
  kind: 'traffic_drop',
  runs: [5],
  isFar: (figure, usual) => figure <= usual * DROP_FACTOR,
  isOff(run, before) {
    const usual = Math.min(perMinute(before), perMinute(before.slice(-JUST_BEFORE_MINUTES)))
    const now = perMinute(run)
    if (now > usual * DROP_FACTOR || !isBeyondChance(now, usual, run.length, before)) return false
    return now < DROP_FACTOR * Math.min(...slidingFigures(before, run.length, perMinute))
  },
  isHigh: ({ requests }, before) => requests < before * 0.7,
  isBack: (figure, before) => figure >= before * 0.7,
  isCritical: ({ before, during }) => during <= before * CRITICAL_DROP_FACTOR,
  describe: ({ before, during }) => `throughput fell from ${shownNumber(before)} to ${requestsPerMinute(during)}`,
}

export const trafficSurgeJudge: Judge = {
  ...common,
  kind: 'traffic_surge',
  runs: [3],
  isFar: (figure, usual) => figure >= usual * SURGE_FACTOR,
  isOff(run, before) {
    const usual = Math.max(perMinute(before), perMinute(before.slice(-JUST_BEFORE_MINUTES)))
    const now = perMinute(run)
    if (now < usual * SURGE_FACTOR || !isBeyondChance(now, usual, run.length, before)) return false
    return now > ABOVE_BUSIEST * Math.max(...slidingFigures(before, run.length, perMinute))
  },
  isHigh: ({ requests }, before) => requests > before * 1.5,
  isBack: (figure, before) => figure <= before * 1.5,
  isCritical: () => false,
  describe: ({ before, during }) => `throughput rose from ${shownNumber(before)} to ${requestsPerMinute(during)}`,
}

function isBeyondChance(now: number, usual: number, length: number, before: MinuteSums[]): boolean {
  const ofMinutes = deviationOf(before.map(({ requests }) => requests))
  const deviation = Math.max(ofMinutes, Math.sqrt(usual)) / Math.sqrt(length)
  return Math.abs(now - usual) > DEVIATIONS_MIN * deviation
}

function perMinute(minutes: MinuteSums[]): number {
  return minutes.length === 0 ? 0 : sumOf(minutes).requests / minutes.length
}

function requestsPerMinute(figure: number): string {
  return `${shownNumber(figure)} ${shownNumber(figure) === '1' ? 'request' : 'requests'} a minute`
}
