import type { Span, TraceSpan } from '../../../domain/span.ts'
import type { TimeWindow } from '../../../domain/time-window.ts'
import type { DiagnosticsReader } from '../../../storage/diagnostics-reader.ts'
import type { Details, Overview, Sample } from '../facts.ts'
import { minuteOf, NS_PER_MINUTE } from '../series/minute-axis.ts'
import { knownServices } from '../suspects/known-services.ts'
import { youngOnset } from '../symptoms/onset.ts'
import type { Symptom } from '../symptoms/symptom.ts'
import { spanForest } from '../traces/span-forest.ts'
import { gatherLatencies } from './latencies.ts'
import { chooseLooks, type Look } from './looks.ts'
import { gatherSaturations } from './saturations.ts'
import { gatherVotes } from './votes.ts'

/** How many requests are looked at: of all symptoms together, so that many symptoms cost no more than one. */
const BAD_MAX = 200
const CALM_MAX = 150
const TRACE_SPANS_MAX = 20_000
const YOUNG_MINUTES_MAX = 2
/** How long before the first symptom versions and instances are of interest. */
const RESOURCES_BEFORE_MINUTES = 20n

export async function gatherDetails(
  reader: DiagnosticsReader,
  overview: Overview,
  symptoms: Symptom[],
): Promise<Details> {
  const { axis } = overview
  const looks = chooseLooks(symptoms, overview)
  const firstNs = symptoms.reduce((first, { onsetNs }) => (onsetNs < first ? onsetNs : first), axis.endNs)
  const earliestNs = minuteOf(firstNs) - RESOURCES_BEFORE_MINUTES * NS_PER_MINUTE
  const [bad, calm, latenciesOf, resources, saturations] = await Promise.all([
    Promise.all(looks.map((look) => reader.sampleSpans(look.during, look.badFilter, share(BAD_MAX, looks)))),
    calmOf(reader, looks),
    gatherLatencies(reader, overview, looks),
    reader.resourceActivity({ startNs: earliestNs > axis.startNs ? earliestNs : axis.startNs, endNs: axis.endNs }),
    gatherSaturations(reader, { startNs: firstNs, endNs: lastBadNs(looks, axis.endNs) }),
  ])
  const samples = looks.map(
    (look, i): Sample => ({
      symptom: look.symptom,
      slowNs: look.slowNs,
      filter: look.filter,
      window: look.during,
      bad: bad[i] ?? [],
      calm: calm[i] ?? [],
      latencies: latenciesOf(look.symptom),
    }),
  )
  // Single requests tell the onset of what has just begun better than the minute that it began in.
  for (const { symptom, bad, window } of samples)
    if (symptom.episode.to - symptom.episode.from <= YOUNG_MINUTES_MAX)
      symptom.onsetNs = youngOnset(
        bad.map(({ startNs }) => startNs),
        window,
      )
  const forest = spanForest(await tracesOf(reader, looks, samples))
  const cast = await gatherVotes(reader, { samples, forest }, knownServices(overview))
  return { samples, forest, ...cast, resources, saturations, witnesses: new Map() }
}

/** Symptoms of the same requests share their calm ones. */
async function calmOf(reader: DiagnosticsReader, looks: Look[]): Promise<Span[][]> {
  const asked = new Map<string, Promise<Span[]>>()
  const answers = looks.map((look) => {
    const key = JSON.stringify(look.filter)
    const known = asked.get(key) ?? reader.sampleSpans(look.calm, look.filter, share(CALM_MAX, looks))
    asked.set(key, known)
    return known
  })
  return await Promise.all(answers)
}

function share(limit: number, looks: Look[]): number {
  return Math.ceil(limit / looks.length)
}

/** Whole traces of the bad requests and of the calm ones that they are compared with. */
async function tracesOf(reader: DiagnosticsReader, looks: Look[], samples: Sample[]): Promise<TraceSpan[]> {
  const ids = new Set(samples.flatMap(({ bad, calm }) => [...bad, ...calm]).map(({ traceId }) => traceId))
  if (ids.size === 0) return []
  const windows = looks.flatMap(({ during, calm }) => [during, calm])
  return await reader.spansOfTraces([...ids], around(windows), TRACE_SPANS_MAX)
}

function around(windows: TimeWindow[]): TimeWindow {
  return windows.reduce((wide, { startNs, endNs }) => ({
    startNs: startNs < wide.startNs ? startNs : wide.startNs,
    endNs: endNs > wide.endNs ? endNs : wide.endNs,
  }))
}

/** Saturation is over soon after what it caused, so the moment to ask about is the last bad one. */
function lastBadNs(looks: Look[], otherwiseNs: bigint): bigint {
  const ends = looks.map(({ during }) => during.endNs)
  return ends.reduce((last, endNs) => (endNs > last ? endNs : last), ends[0] ?? otherwiseNs)
}
