import type { TimeWindow } from '../../../domain/time-window.ts'
import { type Episode, type MinuteAxis, NS_PER_MINUTE } from '../series/minute-axis.ts'

/** How much was bad, of how much, in a minute. */
export type BadnessOf = (minute: number) => [bad: number, of: number]

/** A minute this little as bad as usual for an episode, where there was enough to see, is a calm one. */
const CALM_SHARE_MAX = 0.1
const BAD_DUE_MIN = 6

/**
 * When an episode began, finer than its first minute: where that minute is only part as bad as the following ones, the
 * trouble began that much later in it. What came before a calm minute was something else.
 */
export function onsetOf(axis: MinuteAxis, episode: Episode, badnessOf: BadnessOf): bigint {
  const from = afterLastCalm(episode, badnessOf)
  const minuteNs = axis.startNs + BigInt(from) * NS_PER_MINUTE
  const first = shareOf([badnessOf(from)])
  const next = shareOf(range(from + 1, Math.min(from + 4, episode.to)).map(badnessOf))
  if (next <= 0 || first >= next) return minuteNs
  return minuteNs + BigInt(Math.round(Number(NS_PER_MINUTE) * (1 - first / next)))
}

/** The first minute of the stretch without calm minutes that the second half of the episode belongs to. */
function afterLastCalm({ from, to }: Episode, badnessOf: BadnessOf): number {
  const middle = Math.floor((from + to) / 2)
  const usual = shareOf(range(middle, to).map(badnessOf))
  const isCalm = (minute: number) => {
    const [bad, of] = badnessOf(minute)
    return of * Math.min(1, usual) >= BAD_DUE_MIN && bad < CALM_SHARE_MAX * usual * of
  }
  const lastCalm = range(from, middle).findLast(isCalm)
  return lastCalm === undefined ? from : lastCalm + 1
}

/**
 * When trouble began that is hardly older than a minute, by its bad requests themselves: they come evenly from the onset to the
 * end of the time that it is known to have lasted in, so that half of them come in the first half of that.
 */
export function youngOnset(badNs: bigint[], { startNs, endNs }: TimeWindow): bigint {
  const middle = badNs.toSorted((a, b) => Number(a - b))[Math.floor(badNs.length / 2)]
  const onsetNs = middle === undefined ? startNs : 2n * middle - endNs
  return onsetNs > startNs ? onsetNs : startNs
}

function shareOf(badness: [bad: number, of: number][]): number {
  const bad = badness.reduce((sum, [part]) => sum + part, 0)
  const of = badness.reduce((sum, [, whole]) => sum + whole, 0)
  return of === 0 ? 0 : bad / of
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i)
}
