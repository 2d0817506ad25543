import { affectedServices, symptomsOf } from './answer/affected-services.ts'
import { type Charge, chargesOf } from './answer/charge.ts'
import { confidenceOf } from './answer/confidence.ts'
import { impactFilters } from './answer/impact.ts'
import { severityOf } from './answer/severity.ts'
import { symptomLines } from './answer/symptom-lines.ts'
import { type CallGraph, callGraph } from './call-graph.ts'
import { wordCause } from './catalogue.ts'
import { sharedAttribute } from './causes/shared-attribute.ts'
import { failureLine } from './causes/wording.ts'
import type { Finding } from './diagnosis.ts'
import type { Details, Overview } from './facts.ts'
import { castVotes } from './suspects/cast-votes.ts'
import { findSuspects } from './suspects/find-suspects.ts'
import { isSlower } from './symptoms/confirm-slowdown.ts'
import type { Symptom } from './symptoms/symptom.ts'

const FINDINGS_MAX = 10
const SYMPTOM_LINES_MAX = 4
/** Causes whose place is already as close as it gets. */
const NAMES_ITS_PLACE = new Set(['badDeployment', 'badInstance', 'badConfiguration', 'trafficSurge'])

/** What broke. Pure: the same facts always give the same findings. */
export function findCauses(symptoms: Symptom[], overview: Overview, details: Details): Finding[] {
  const confirmed = confirmedSamples(details)
  const doubted = new Set(details.samples.filter((sample) => !confirmed.includes(sample)).map(({ symptom }) => symptom))
  const facts = { overview, details: { ...details, samples: confirmed } }
  const believed = symptoms.filter((symptom) => !doubted.has(symptom))
  const services = new Set(overview.edges.flatMap((edge) => (edge.targetIsService ? [edge.targetName] : [])))
  for (const { serviceName } of overview.services) services.add(serviceName)
  const suspects = findSuspects(castVotes(facts.details, services))
  const graph = callGraph(overview.edges)
  return chargesOf(suspects, overview, facts.details, graph)
    .map((charge) => findingOf(charge, believed, facts, graph))
    .filter(({ evidence }) => evidence.length >= 2)
    .slice(0, FINDINGS_MAX)
}

function confirmedSamples({ samples }: Details) {
  return samples.filter(
    ({ symptom, latencies }) => symptom.kind === 'errors' || (latencies && isSlower(latencies, symptom.tried)),
  )
}

function findingOf(
  charge: Charge,
  all: Symptom[],
  facts: { overview: Overview; details: Details },
  graph: CallGraph,
): Finding {
  const { inquiry, explanation } = charge
  const symptoms = symptomsOf(charge, all, graph)
  const affected = affectedServices(charge, symptoms, graph)
  const shared = NAMES_ITS_PLACE.has(explanation.cause) ? undefined : sharedAttribute(inquiry)
  const detail = [explanation.detail, shared ? `${shared.key} ${shared.value}` : ''].filter(Boolean).join(', ')
  return {
    cause: wordCause(explanation.cause, inquiry.suspect.serviceName, detail),
    confidence: confidenceOf(charge),
    severity: severityOf({ affected, symptoms, episode: inquiry.episode, services: facts.overview.services }, graph),
    affectedServices: affected,
    evidence: [
      ...explanation.evidence,
      ...mechanismLines(charge),
      ...(shared ? [shared.evidence] : []),
      ...symptomLines(affected, symptoms, facts.details, SYMPTOM_LINES_MAX),
    ],
    firstDetectedNs: inquiry.suspect.onsetNs,
    impact: impactFilters(charge, affected, symptoms, facts),
    sampledTraceCount: new Set(inquiry.suspect.votes.map(({ traceId }) => traceId)).size,
  }
}

/** What a change, a surge or an instance did to requests, where the cause itself has not said so. */
function mechanismLines({ inquiry, explanation }: Charge): string[] {
  const { votes } = inquiry.suspect
  const line = failureLine(
    votes.filter(({ by }) => by === 'error'),
    votes.length,
  )
  return line === '' || explanation.evidence.some((known) => known.includes('failed with')) ? [] : [line]
}
