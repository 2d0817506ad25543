import { affectedServices, symptomsOf } from './answer/affected-services.ts'
import { type Charge, chargesOf } from './answer/charge.ts'
import { impactFilters } from './answer/impact.ts'
import { scoreOf } from './answer/score.ts'
import { severityOf } from './answer/severity.ts'
import { symptomLines } from './answer/symptom-lines.ts'
import { type CallGraph, callGraph } from './call-graph.ts'
import { wordCause } from './catalogue.ts'
import { habitLines } from './causes/broken-habit.ts'
import { type Contrast, sharedAttribute } from './causes/shared-attribute.ts'
import { failureLine } from './causes/wording.ts'
import type { Finding } from './diagnosis.ts'
import { type Details, NO_SIGNS, type Overview, type Witnesses } from './facts.ts'
import { windowOf } from './series/minute-axis.ts'
import { findSuspects } from './suspects/find-suspects.ts'
import type { Suspect } from './suspects/suspect.ts'
import { isSlower } from './symptoms/confirm-slowdown.ts'
import type { Symptom } from './symptoms/symptom.ts'

const CHARGES_MAX = 10
const EVIDENCE_MIN = 2
const SYMPTOM_LINES_MAX = 4
/** Causes whose place is already as close as it gets. */
const NAMES_ITS_PLACE = new Set(['badDeployment', 'badInstance', 'badConfiguration', 'trafficSurge'])

/** Who is charged with what, and all that it was found from. */
export interface Verdict {
  charges: Charge[]
  suspects: Suspect[]
  /** Symptoms that stood up to a closer look. */
  symptoms: Symptom[]
  overview: Overview
  /** With those samples only. */
  details: Details
  graph: CallGraph
}

/** What broke. Pure: the same facts always give the same charges. */
export function findCauses(symptoms: Symptom[], overview: Overview, details: Details, signs = NO_SIGNS): Verdict {
  const samples = confirmedSamples(details)
  const doubted = new Set(details.samples.filter((sample) => !samples.includes(sample)).map(({ symptom }) => symptom))
  const confirmed = { ...details, samples }
  const graph = callGraph(overview.edges)
  const votes = details.votes.filter(({ symptom }) => !doubted.has(symptom))
  const suspects = findSuspects(votes, overview.edges, signs)
  return {
    charges: chargesOf(suspects, overview, confirmed, graph).slice(0, CHARGES_MAX),
    suspects,
    symptoms: symptoms.filter((symptom) => !doubted.has(symptom)),
    overview,
    details: confirmed,
    graph,
  }
}

/** The same, now that it is known which spans broke a habit and which did not. */
export function withWitnesses(verdict: Verdict, witnesses: ReadonlyMap<string, Witnesses>): Verdict {
  const { suspects, overview, graph } = verdict
  const details = { ...verdict.details, witnesses }
  return { ...verdict, details, charges: chargesOf(suspects, overview, details, graph).slice(0, CHARGES_MAX) }
}

/** Whether the cause says already what the bad requests have in common. */
export function namesItsPlace({ explanation }: Charge): boolean {
  return NAMES_ITS_PLACE.has(explanation.cause)
}

/** The charges in words and figures. `contrasts` are what their bad requests are compared with. */
export function findingsOf(verdict: Verdict, contrasts: Map<Charge, Contrast[]>): Finding[] {
  const findings = verdict.charges.map((charge) => findingOf(charge, verdict, contrasts.get(charge) ?? []))
  return findings.filter(({ evidence }) => evidence.length >= EVIDENCE_MIN)
}

function confirmedSamples({ samples }: Details) {
  return samples.filter(
    ({ symptom, latencies }) => symptom.kind === 'errors' || (latencies && isSlower(latencies, symptom.tried)),
  )
}

function findingOf(charge: Charge, verdict: Verdict, contrasts: Contrast[]): Finding {
  const { inquiry, explanation } = charge
  const { overview, details, graph } = verdict
  const symptoms = symptomsOf(charge, verdict.symptoms, graph)
  const affected = affectedServices(charge, symptoms, graph)
  const shared = namesItsPlace(charge) ? undefined : sharedAttribute(inquiry, contrasts)
  const detail = [explanation.detail, shared ? `${shared.key} ${shared.value}` : ''].filter(Boolean).join(', ')
  return {
    cause: wordCause(explanation.cause, inquiry.suspect.serviceName, detail),
    score: scoreOf(charge),
    severity: severityOf({ affected, symptoms, episode: inquiry.episode, services: overview.services }, graph),
    affectedServices: affected,
    evidence: [
      ...explanation.evidence,
      ...mechanismLines(charge),
      ...(shared ? [shared.evidence] : []),
      ...symptomLines(affected, symptoms, details, SYMPTOM_LINES_MAX),
    ],
    firstDetectedNs: explanation.onsetNs ?? inquiry.suspect.onsetNs,
    endNs: windowOf(overview.axis, inquiry.episode).endNs,
    impact: impactFilters(charge, affected, symptoms, verdict),
    sampledTraceCount: Math.max(
      new Set(inquiry.suspect.votes.map(({ traceId }) => traceId)).size,
      ...inquiry.suspect.habits.map(({ during }) => during.part),
      ...inquiry.suspect.ways.map(({ long }) => long),
    ),
  }
}

/** What a change, a surge or an instance did to requests, where the cause itself has not said so. */
function mechanismLines(charge: Charge): string[] {
  const { inquiry, explanation } = charge
  const { votes, habits } = inquiry.suspect
  if (votes.length === 0) return namesItsPlace(charge) ? habitLines(habits) : []
  const line = failureLine(
    votes.filter(({ by }) => by === 'error'),
    votes.length,
  )
  return line === '' || explanation.evidence.some((known) => known.includes('failed with')) ? [] : [line]
}
