import { badDeployments } from './bad-deployment.ts'
import { badInstances } from './bad-instance.ts'
import { INCIDENT_KINDS, type Incident, type IncidentKind } from './incident.ts'
import { poolExhaustions } from './pool-exhaustion.ts'
import { slowDependencies } from './slow-dependency.ts'
import { trafficSurges } from './traffic-surge.ts'

/** Every kind of incident, each with the places where it can strike. */
const INCIDENTS: Record<IncidentKind, readonly Incident[]> = {
  'bad-deployment': badDeployments,
  'pool-exhaustion': poolExhaustions,
  'slow-dependency': slowDependencies,
  'bad-instance': badInstances,
  'traffic-surge': trafficSurges,
}

/** The nth place of a kind, round and round. */
export function incidentOf(kind: IncidentKind, round: number): Incident {
  const places = INCIDENTS[kind]
  const incident = places[round % places.length]
  if (incident === undefined) throw new Error(`There is no incident of the kind ${kind}.`)
  return incident
}

/** The places where a kind can strike, by the service at fault. */
export function placesOf(kind: IncidentKind): string[] {
  return INCIDENTS[kind].map(({ service }) => service)
}

/** The nth incident of a schedule: all kinds in turn, then all again at other places. */
export function incidentInRotation(number: number): Incident {
  const kind = INCIDENT_KINDS[number % INCIDENT_KINDS.length] ?? 'bad-deployment'
  return incidentOf(kind, Math.floor(number / INCIDENT_KINDS.length))
}
