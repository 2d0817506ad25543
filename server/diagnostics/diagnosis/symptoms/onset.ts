import { type Episode, type MinuteAxis, NS_PER_MINUTE } from '../series/minute-axis.ts'

/**
 * When an episode began, finer than its first minute: where that minute is only part as bad as the following ones, the
 * trouble began that much later in it.
 */
export function onsetOf(
  axis: MinuteAxis,
  { from, to }: Episode,
  badnessOf: (minute: number) => [bad: number, of: number],
): bigint {
  const minuteNs = axis.startNs + BigInt(from) * NS_PER_MINUTE
  const first = shareOf([badnessOf(from)])
  const next = shareOf(Array.from({ length: Math.min(3, to - from - 1) }, (_, i) => badnessOf(from + 1 + i)))
  if (next <= 0 || first >= next) return minuteNs
  return minuteNs + BigInt(Math.round(Number(NS_PER_MINUTE) * (1 - first / next)))
}

function shareOf(badness: [bad: number, of: number][]): number {
  const bad = badness.reduce((sum, [part]) => sum + part, 0)
  const of = badness.reduce((sum, [, whole]) => sum + whole, 0)
  return of === 0 ? 0 : bad / of
}
