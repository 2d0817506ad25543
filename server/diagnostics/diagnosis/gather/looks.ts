import type { TimeWindow } from '../../../domain/time-window.ts'
import type { SampleFilter } from '../../../storage/diagnostics-reader.ts'
import { type MinuteAxis, windowOf } from '../series/minute-axis.ts'
import { meanMs } from '../series/minute-series.ts'
import type { Symptom } from '../symptoms/symptom.ts'

/** Which requests of a symptom to look at one by one. */
export interface Look {
  symptom: Symptom
  during: TimeWindow
  calm: TimeWindow
  /** Of any request that shows it or could. */
  filter: SampleFilter
  /** Of those that are bad. */
  badFilter: SampleFilter
  slowNs: bigint | undefined
}

const LOOKS_MAX = 8
const LOOKS_OF_SERVICE_MAX = 2
/** Nearest to the episode, and long enough to find what is usual. */
const CALM_MINUTES_MAX = 30
/** An episode may be long; its beginning says where it came from. */
const DURING_MINUTES_MAX = 30
/** Requests that take this many times the usual mean are slow. */
const SLOW_FACTOR = 1.5

/** The surest symptoms, but not all of one service, and calls only where the caller's own requests show nothing. */
export function chooseLooks(symptoms: Symptom[], axis: MinuteAxis): Look[] {
  const chosen: Symptom[] = []
  const counts = new Map<string, number>()
  const byRank = [
    ...symptoms.filter(({ subject }) => subject.of !== 'edge'),
    ...symptoms.filter(({ subject }) => subject.of === 'edge'),
  ]
  for (const symptom of byRank) {
    const key = `${symptom.serviceName}\n${symptom.kind}`
    const count = counts.get(key) ?? 0
    if (chosen.length >= LOOKS_MAX || count >= (symptom.subject.of === 'edge' ? 1 : LOOKS_OF_SERVICE_MAX)) continue
    counts.set(key, count + 1)
    chosen.push(symptom)
  }
  for (const symptom of chosen) symptom.isLookedAt = true
  return chosen.map((symptom) => lookOf(symptom, axis))
}

function lookOf(symptom: Symptom, axis: MinuteAxis): Look {
  const { subject, kind, before, episode } = symptom
  const filter = filterOf(symptom)
  const slowNs = kind === 'latency' ? BigInt(Math.round(meanMs(before) * SLOW_FACTOR * 1e6)) : undefined
  const isFailed = kind === 'errors' || subject.of === 'edge'
  return {
    symptom,
    during: windowOf(axis, { from: episode.from, to: Math.min(episode.to, episode.from + DURING_MINUTES_MAX) }),
    calm: windowOf(axis, calmStretch(symptom)),
    filter,
    badFilter: isFailed ? { ...filter, status: 'ERROR' } : { ...filter, ...(slowNs && { minDurationNs: slowNs }) },
    slowNs,
  }
}

function filterOf({ subject }: Symptom): SampleFilter {
  if (subject.of === 'edge')
    return { serviceName: subject.series.sourceName, kind: subject.series.isMessage ? 'PRODUCER' : 'CLIENT' }
  const { serviceName, operationName } = subject.series
  return subject.of === 'service' ? { serviceName } : { serviceName, operationName }
}

/** The calm minutes just before the episode, or the longest calm stretch where there are hardly any. */
function calmStretch({ calm, episode }: Symptom): { from: number; to: number } {
  const stretches: { from: number; to: number }[] = []
  for (const minute of calm) {
    const last = stretches.at(-1)
    if (last && last.to === minute) last.to = minute + 1
    else stretches.push({ from: minute, to: minute + 1 })
  }
  const before = stretches.findLast(({ from, to }) => to <= episode.from && to - from >= 5)
  const longest = stretches.toSorted((a, b) => b.to - b.from - (a.to - a.from))[0]
  const { from, to } = before ?? longest ?? { from: 0, to: episode.from }
  return { from: Math.max(from, to - CALM_MINUTES_MAX), to }
}
