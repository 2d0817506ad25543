import type { MinuteAxis } from '../series/minute-axis.ts'
import { meanMs, minutesOf, type SeriesSums, sumsOver } from '../series/minute-series.ts'
import { stretchesTried } from '../series/prefix-sums.ts'
import { type Growth, isGrowth, strongestGrowth } from '../series/strongest-growth.ts'
import { calmMinutes, disturbances } from './disturbances.ts'
import { hasBefore, isCurrent, P_VALUE_BELOW } from './judgement.ts'
import { onsetOf } from './onset.ts'
import type { Subject, Symptom } from './symptom.ts'

const FACTOR_MIN = 1.3
/** The mean of a minute that has hardly begun is that of a handful of requests, whatever all others have. */
const COVERED_MIN = 0.25
/** What nobody can feel is no slowness. */
const ADDED_MS_MIN = 1

/**
 * Where requests took longer beyond chance in the window, by their mean. It is to be confirmed by how the single requests
 * are distributed: a mean is easily moved by one of them.
 */
export function slowdowns(subject: Subject, axis: MinuteAxis, comparisons: number): Symptom[] {
  const { series } = subject
  const { durationMs } = series
  const requests = series.requests.map((count, minute) => ((axis.covered[minute] ?? 0) < COVERED_MIN ? 0 : count))
  const means = requests.map((count, minute) => (count === 0 ? 0 : (durationMs[minute] ?? 0) / count))
  const certainty: Growth[] = []
  const episodes = disturbances(axis.length, (isLeft) => {
    const counts = requests.map((count, minute) => (isLeft(minute) ? count : 0))
    const growth = strongestGrowth({ means: means.map((mean, minute) => (isLeft(minute) ? mean : 0)), counts })
    if (!growth || growth.pValue * comparisons >= P_VALUE_BELOW || growth.factor < FACTOR_MIN) return undefined
    certainty.push(growth)
    return growth
  })
  const calm = calmMinutes(axis.length, episodes)
  const before = sumsOver(series, calm)
  const beforeMs = meanMs(before)
  return episodes
    .filter((episode) => isCurrent(episode, axis, requests) && hasBefore(episode, requests))
    .filter((episode) => isGrowth({ means, counts: requests }, episode))
    .map((episode): Symptom => {
      const inside = certainty.filter(({ from }) => from >= episode.from && from < episode.to)
      return {
        kind: 'latency',
        subject,
        serviceName: subject.of === 'edge' ? subject.series.sourceName : subject.series.serviceName,
        episode,
        calm,
        before,
        during: sumsOver(series, minutesOf(episode)),
        onsetNs: onsetOf(axis, episode, (minute) => {
          const count = requests[minute] ?? 0
          return [Math.max(0, (durationMs[minute] ?? 0) - count * beforeMs), count]
        }),
        isLookedAt: false,
        tried: comparisons * stretchesTried(axis.length),
        pValue: Math.min(1, ...inside.map(({ pValue }) => pValue * comparisons)),
      }
    })
    .filter(({ during }) => matters(before, during))
}

function matters(before: SeriesSums, during: SeriesSums): boolean {
  const [was, is] = [meanMs(before), meanMs(during)]
  return is - was >= ADDED_MS_MIN && is >= FACTOR_MIN * was
}
