import { type Latencies, mergedLatencies, NO_LATENCIES } from '../../../domain/latencies.ts'
import type { Span } from '../../../domain/span.ts'
import type { TimeWindow } from '../../../domain/time-window.ts'
import type { DiagnosticsReader } from '../../../storage/diagnostics-reader.ts'
import type { Details, Overview, Sample } from '../facts.ts'
import { NS_PER_MINUTE } from '../series/minute-axis.ts'
import type { Symptom } from '../symptoms/symptom.ts'
import { chooseLooks, type Look } from './looks.ts'
import { gatherSaturations } from './saturations.ts'

/** How many requests are looked at: of all symptoms together, so that many symptoms cost no more than one. */
const BAD_MAX = 200
const CALM_MAX = 160
const DURING_MAX = 400
const TRACE_SPANS_MAX = 20_000
/** How long before the first symptom versions and instances are of interest. */
const RESOURCES_BEFORE_MINUTES = 20n

export async function gatherDetails(
  reader: DiagnosticsReader,
  { axis }: Overview,
  symptoms: Symptom[],
): Promise<Details> {
  const looks = chooseLooks(symptoms, axis)
  const firstNs = symptoms.reduce((first, { onsetNs }) => (onsetNs < first ? onsetNs : first), axis.endNs)
  const earliestNs = firstNs - RESOURCES_BEFORE_MINUTES * NS_PER_MINUTE
  const [samples, resources, saturations] = await Promise.all([
    Promise.all(looks.map((look) => sampleOf(reader, look, looks.length))),
    reader.resourceActivity({ startNs: earliestNs > axis.startNs ? earliestNs : axis.startNs, endNs: axis.endNs }),
    gatherSaturations(reader, { startNs: firstNs, endNs: lastBadNs(looks, axis.endNs) }),
  ])
  return { samples, traceSpans: await tracesOf(reader, looks, samples), resources, saturations }
}

async function sampleOf(reader: DiagnosticsReader, look: Look, looks: number): Promise<Sample> {
  const { symptom, during, calm, filter, badFilter, slowNs } = look
  const [bad, any, usual, latencies] = await Promise.all([
    reader.sampleSpans(during, badFilter, Math.ceil(BAD_MAX / looks)),
    reader.sampleSpans(during, filter, Math.ceil(DURING_MAX / looks)),
    reader.sampleSpans(calm, filter, Math.ceil(CALM_MAX / looks)),
    symptom.kind === 'latency' ? latenciesOf(reader, look) : undefined,
  ])
  return { symptom, bad, during: any, calm: usual, slowNs, latencies }
}

async function latenciesOf(reader: DiagnosticsReader, { filter, during, calm }: Look) {
  const ask = async (window: TimeWindow): Promise<Latencies> => {
    const { serviceName, operationName } = filter
    const groups = await reader.requests({
      window,
      by: ['service', 'operation'],
      latencies: true,
      ...(serviceName !== undefined && { serviceName }),
    })
    const own = groups.filter((group) => operationName === undefined || group.operationName === operationName)
    return own.length === 0 ? NO_LATENCIES : mergedLatencies(own.map(({ latencies }) => latencies))
  }
  const [there, before] = await Promise.all([ask(during), ask(calm)])
  return { during: there, calm: before }
}

/** Whole traces of the bad requests and of the calm ones that they are compared with. */
async function tracesOf(reader: DiagnosticsReader, looks: Look[], samples: Sample[]): Promise<Span[]> {
  const idsOf = (spans: Span[]) => [...new Set(spans.map(({ traceId }) => traceId))]
  const bad = idsOf(samples.flatMap((sample) => sample.bad))
  const calm = idsOf(samples.flatMap((sample) => sample.calm)).filter((id) => !bad.includes(id))
  const [ofBad, ofCalm] = await Promise.all([
    bad.length === 0 ? [] : reader.spansOfTraces(bad, around(looks.map(({ during }) => during)), TRACE_SPANS_MAX),
    calm.length === 0 ? [] : reader.spansOfTraces(calm, around(looks.map((look) => look.calm)), TRACE_SPANS_MAX),
  ])
  return [...ofBad, ...ofCalm]
}

function around(windows: TimeWindow[]): TimeWindow {
  const pick = (values: bigint[], better: (a: bigint, b: bigint) => boolean) =>
    values.reduce((best, value) => (better(value, best) ? value : best), values[0] ?? 0n)
  return {
    startNs: pick(
      windows.map(({ startNs }) => startNs),
      (a, b) => a < b,
    ),
    endNs: pick(
      windows.map(({ endNs }) => endNs),
      (a, b) => a > b,
    ),
  }
}

/** Saturation is over soon after what it caused, so the moment to ask about is the last bad one. */
function lastBadNs(looks: Look[], otherwiseNs: bigint): bigint {
  const ends = looks.map(({ during }) => during.endNs)
  return ends.reduce((last, endNs) => (endNs > last ? endNs : last), ends[0] ?? otherwiseNs)
}
