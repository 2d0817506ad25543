import type { MinuteAxis } from '../series/minute-axis.ts'
import { minutesOf, type SeriesSums, sumsOver } from '../series/minute-series.ts'
import { stretchesTried } from '../series/prefix-sums.ts'
import { chanceOfRise, strongestRise } from '../series/strongest-rise.ts'
import { calmMinutes, disturbances } from './disturbances.ts'
import { hasBefore, isCurrent, P_VALUE_BELOW } from './judgement.ts'
import { onsetOf } from './onset.ts'
import type { Subject, Symptom } from './symptom.ts'

/** A rise by less is no incident, however certain. */
const POINTS_MIN = 0.01
const FACTOR_MIN = 2

/** Where the share of failed requests rose beyond chance in the window. `comparisons` is how many things are looked at in all. */
export function errorRises(subject: Subject, axis: MinuteAxis, comparisons: number): Symptom[] {
  const { series } = subject
  const { requests: wholes, errors: parts } = series
  const episodes = disturbances(axis.length, (isLeft) => {
    const only = (values: number[]) => values.map((value, minute) => (isLeft(minute) ? value : 0))
    const rise = strongestRise({ parts: only(parts), wholes: only(wholes) })
    return rise && rise.pValue * comparisons < P_VALUE_BELOW ? rise : undefined
  })
  const calm = calmMinutes(axis.length, episodes)
  const before = sumsOver(series, calm)
  return episodes
    .filter((episode) => isCurrent(episode, axis, wholes) && hasBefore(episode, wholes))
    .map((episode) => ({
      kind: 'errors' as const,
      subject,
      serviceName: subject.of === 'edge' ? subject.series.sourceName : subject.series.serviceName,
      episode,
      calm,
      before,
      during: sumsOver(series, minutesOf(episode)),
      onsetNs: onsetOf(axis, episode, (minute) => [parts[minute] ?? 0, wholes[minute] ?? 0]),
      isLookedAt: false,
      tried: comparisons * stretchesTried(axis.length),
      pValue: Math.min(1, chanceOfRise({ parts, wholes }, episode, calm) * comparisons),
    }))
    .filter(({ during, pValue }) => pValue < P_VALUE_BELOW && matters(before, during))
}

function matters(before: SeriesSums, during: SeriesSums): boolean {
  const [was, is] = [shareOf(before), shareOf(during)]
  return is - was >= POINTS_MIN && is >= FACTOR_MIN * was
}

export function shareOf({ requests, errors }: SeriesSums): number {
  return requests === 0 ? 0 : errors / requests
}
