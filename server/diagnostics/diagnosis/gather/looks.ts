import type { TimeWindow } from '../../../domain/time-window.ts'
import type { SampleFilter } from '../../../storage/diagnostics-reader.ts'
import { callGraph } from '../call-graph.ts'
import type { Overview } from '../facts.ts'
import { type Episode, type MinuteAxis, windowOf } from '../series/minute-axis.ts'
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

const LOOKS_MAX = 6
/** Nearest to the episode, and long enough to find what is usual. */
const CALM_MINUTES_MAX = 30
/** An episode may be long; its beginning says where it came from. */
const DURING_MINUTES_MAX = 30
/** Requests that take this many times the usual mean are slow. */
const SLOW_FACTOR = 1.5

/**
 * Symptoms nearest to where trouble begins first: those of services that call no other service with symptoms. Whoever calls
 * them has the same traces. One of each kind for each service, and calls only where the caller's own requests show nothing.
 */
export function chooseLooks(symptoms: Symptom[], { axis, edges }: Overview): Look[] {
  const chosen = new Map<string, Symptom>()
  for (const symptom of nearestFirst(symptoms, edges)) {
    const key = `${symptom.serviceName}\n${symptom.kind}`
    if (!chosen.has(key) && chosen.size < LOOKS_MAX) chosen.set(key, symptom)
  }
  for (const symptom of chosen.values()) symptom.isLookedAt = true
  return [...chosen.values()].map((symptom) => lookOf(symptom, axis))
}

function nearestFirst(symptoms: Symptom[], edges: Overview['edges']): Symptom[] {
  const graph = callGraph(edges)
  const ill = new Set(symptoms.filter(({ subject }) => subject.of !== 'edge').map(({ serviceName }) => serviceName))
  const callers = new Map([...ill].map((name) => [name, graph.callersOf(name)]))
  const passesOn = ({ serviceName }: Symptom) =>
    [...callers].some(([name, above]) => name !== serviceName && above.has(serviceName))
  const rankOf = (symptom: Symptom) => (symptom.subject.of === 'edge' ? 2 : passesOn(symptom) ? 1 : 0)
  return symptoms.toSorted((a, b) => rankOf(a) - rankOf(b))
}

function lookOf(symptom: Symptom, axis: MinuteAxis): Look {
  const { kind, before, episode } = symptom
  const filter = filterOf(symptom)
  const slowNs = kind === 'latency' ? BigInt(Math.round(meanMs(before) * SLOW_FACTOR * 1e6)) : undefined
  return {
    symptom,
    during: windowOf(axis, { from: episode.from, to: Math.min(episode.to, episode.from + DURING_MINUTES_MAX) }),
    calm: windowOf(axis, calmStretch(symptom)),
    filter,
    badFilter: slowNs === undefined ? { ...filter, status: 'ERROR' } : { ...filter, minDurationNs: slowNs },
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
function calmStretch({ calm, episode }: Symptom): Episode {
  const stretches: Episode[] = []
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
