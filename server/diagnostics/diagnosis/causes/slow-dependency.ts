import { meanMs } from '../series/minute-series.ts'
import { shareOf } from '../symptoms/error-rises.ts'
import { callsTo, type Explanation, type Inquiry } from './inquiry.ts'
import { failureLine, milliseconds, times } from './wording.ts'

const FACTOR_MIN = 1.5
/** Where most of the time goes there, a mean over calls of every kind need not grow that much. */
const CLEAR_FACTOR_MIN = 1.2
const ADDED_MS_MIN = 2
const VOTES_SHARE_MIN = 0.2
const GONE_SHARE_MIN = 0.7

export interface SlowDependency {
  targetName: string
  beforeMs: number
  duringMs: number
  calls: number
  /** Of the suspect's votes, how many name it. */
  share: number
  /** Of the calls, those that failed, most of them because nobody answered in time. */
  failedShare: number
}

/** Something outside takes longer for each call, and that is where the time of bad requests goes. */
export function slowDependency(inquiry: Inquiry): Explanation | undefined {
  const slowest = slowestDependency(inquiry)
  if (slowest === undefined) return undefined
  const { targetName, beforeMs, duringMs, calls } = slowest
  const { votes, serviceName } = inquiry.suspect
  const late = votes.filter(({ place }) => place.at === 'call' && place.targetName === targetName)
  return {
    cause: 'slowDependency',
    detail: targetName,
    strength: strengthOf(slowest),
    evidence: [
      `${serviceName} waits ${milliseconds(duringMs)} for ${targetName} at the mean of ${calls} calls, ${times(duringMs / beforeMs)} the ${milliseconds(beforeMs)} of before (services)`,
      failureLine(
        late.filter(({ by }) => by === 'error'),
        votes.length,
      ),
    ].filter(Boolean),
    mayFollow: false,
  }
}

function strengthOf({ beforeMs, duringMs, share, failedShare }: SlowDependency): number {
  // What hardly ever answers is not slow but gone; and a little slower is what a dependency also is on a busy day.
  if (failedShare >= GONE_SHARE_MIN || duringMs < FACTOR_MIN * beforeMs) return 0.5
  return Math.min(0.9, 0.65 + 0.25 * share + (duringMs >= 3 * beforeMs ? 0.08 : 0))
}

/** The dependency outside that most votes name, of those that got slower. */
export function slowestDependency(inquiry: Inquiry): SlowDependency | undefined {
  const { votes } = inquiry.suspect
  const targets = new Map<string, number>()
  for (const { place, by, failure } of votes) {
    if (place.at !== 'call' || place.targetIsService) continue
    if (by === 'error' && failure?.class !== 'timeout') continue
    targets.set(place.targetName, (targets.get(place.targetName) ?? 0) + 1)
  }
  for (const [targetName, count] of [...targets].toSorted(([, a], [, b]) => b - a)) {
    const share = count / votes.length
    const calls = callsTo(inquiry, targetName)
    if (calls === undefined || share < VOTES_SHARE_MIN) continue
    const [beforeMs, duringMs] = [meanMs(calls.before), meanMs(calls.during)]
    const factorMin = share >= 0.5 ? CLEAR_FACTOR_MIN : FACTOR_MIN
    if (beforeMs > 0 && duringMs >= factorMin * beforeMs && duringMs - beforeMs >= ADDED_MS_MIN)
      return { targetName, beforeMs, duringMs, calls: calls.during.requests, share, failedShare: shareOf(calls.during) }
  }
  return undefined
}
