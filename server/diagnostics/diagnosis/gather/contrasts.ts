import type { Span } from '../../../domain/span.ts'
import type { DiagnosticsReader } from '../../../storage/diagnostics-reader.ts'
import type { Charge } from '../answer/charge.ts'
import { type Contrast, circumstanceOf, sharedByRequests } from '../causes/shared-attribute.ts'
import type { Details, Sample } from '../facts.ts'
import { namesItsPlace, type Verdict } from '../find-causes.ts'
import { type SpanForest, spanForest } from '../traces/span-forest.ts'
import { Ancestors } from './ancestors.ts'

const REQUESTS_MAX = 150
const CHARGES_MAX = 3
const SHARE_MIN = 0.5
const TRACE_SPANS_MAX = 10_000

/** For the most important charges: what their bad requests share is told only against good ones of the same time. */
export async function gatherContrasts(reader: DiagnosticsReader, verdict: Verdict): Promise<Map<Charge, Contrast[]>> {
  const vague = verdict.charges.slice(0, CHARGES_MAX).filter((charge) => !namesItsPlace(charge))
  const ancestors = new Ancestors(reader)
  const asked = vague.map(async (charge): Promise<[Charge, Contrast[]]> => {
    return [charge, await contrastsOf(reader, charge, verdict.details, ancestors)]
  })
  return new Map(await Promise.all(asked))
}

async function contrastsOf(
  reader: DiagnosticsReader,
  charge: Charge,
  details: Details,
  ancestors: Ancestors,
): Promise<Contrast[]> {
  const { suspect } = charge.inquiry
  const witnesses = details.witnesses.get(suspect.serviceName)
  if (suspect.votes.length === 0 && witnesses) {
    const { broken, kept, forest } = witnesses
    const above = await ancestors.of([...broken, ...kept], forest)
    const known = (spans: Span[]) => spans.map((span) => circumstanceOf(span, 1, above.get(span) ?? []))
    return [{ bad: known(broken), good: known(kept) }]
  }
  const contrasts = mostTelling(charge, details.samples).map((sample) =>
    contrastOf(reader, charge, sample, details.forest, ancestors),
  )
  return await Promise.all(contrasts)
}

/**
 * By what the requests themselves say; and by what those say that led to them, which is where users are often known. The latter
 * is looked up for good requests only where it would tell the bad ones from the calm ones, which are known already.
 */
async function contrastOf(
  reader: DiagnosticsReader,
  charge: Charge,
  sample: Sample,
  forest: SpanForest,
  ancestors: Ancestors,
): Promise<Contrast> {
  const bad = badOf(charge, sample)
  const during = await reader.sampleSpans(sample.window, sample.filter, REQUESTS_MAX)
  const good = during.filter((span) => isGood(span, sample, bad))
  const plainly = contrast(good, new Map())
  if (sharedByRequests(plainly).length > 0) return plainly
  const known = await ancestors.of([...bad, ...sample.calm], forest)
  if (sharedByRequests(contrast(sample.calm, known)).length === 0) return plainly
  const ids = [...new Set(good.map(({ traceId }) => traceId))]
  const traceSpans = ids.length === 0 ? [] : await reader.spansOfTraces(ids, sample.window, TRACE_SPANS_MAX)
  return contrast(good, new Map([...known, ...(await ancestors.of(good, spanForest(traceSpans)))]))

  function contrast(others: Span[], above: Map<Span, Span[]>): Contrast {
    return {
      bad: bad.map((span) => circumstanceOf(span, weightOf(span, sample), above.get(span) ?? [])),
      good: others.map((span) => circumstanceOf(span, 1, above.get(span) ?? [])),
    }
  }
}

/** Those of the symptom's bad requests that name the suspect. */
function badOf({ inquiry: { suspect } }: Charge, { bad, symptom }: Sample): Span[] {
  const traces = new Set(suspect.votes.filter((vote) => vote.symptom === symptom).map(({ traceId }) => traceId))
  return bad.filter(({ traceId }) => traces.has(traceId))
}

/** How much worse than usual a request was: one that is hardly slow says less than one that is very slow. */
function weightOf({ durationNs }: Span, { slowNs, symptom: { before } }: Sample): number {
  return slowNs === undefined ? 1 : Math.max(0, Number(durationNs) / 1e6 - before.durationMs / before.requests)
}

/** Of the same operation as a bad one: others differ from it in everything. */
function isGood(span: Span, { slowNs }: Sample, bad: Span[]): boolean {
  const isSlow = slowNs !== undefined && span.durationNs >= slowNs
  const isAlike = ({ operationName, kind }: Span) => operationName === span.operationName && kind === span.kind
  return span.status !== 'ERROR' && !isSlow && bad.some(isAlike)
}

/** One at the service at fault, and one at another: what is known of users is often known only where they come in. */
function mostTelling({ inquiry: { suspect } }: Charge, samples: Sample[]): Sample[] {
  const shareOf = ({ symptom }: Sample) => suspect.shares.get(symptom) ?? 0
  const telling = samples.filter((sample) => sample.bad.length > 0 && shareOf(sample) >= SHARE_MIN)
  const surestFirst = telling.toSorted((a, b) => shareOf(b) - shareOf(a))
  const isOwn = ({ symptom }: Sample) => symptom.serviceName === suspect.serviceName
  return [surestFirst.find(isOwn), surestFirst.find((sample) => !isOwn(sample))].filter((found) => found !== undefined)
}
