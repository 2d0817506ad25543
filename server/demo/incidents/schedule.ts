import { incidentInRotation, incidentOf, placesOf } from './catalogue.ts'
import type { Incident, IncidentKind } from './incident.ts'

/** All kinds in turn, one kind once and at once (at its first place, or in a service of choice), or none. */
export type IncidentChoice = 'scheduled' | 'none' | IncidentKind | { kind: IncidentKind; service: string }

const FIRST_AFTER_MS = 30_000

export interface IncidentSchedule {
  /** The incident that is to begin by this moment, once. */
  takeDue(nowEpochMs: number): Incident | undefined
  /** When the next one begins, if there is a next one. */
  readonly nextEpochMs: number | undefined
}

export function createSchedule(choice: IncidentChoice, liveSinceEpochMs: number, everyMs: number): IncidentSchedule {
  let planted = 0
  const timeOf = (number: number): number | undefined => {
    if (choice === 'scheduled') return liveSinceEpochMs + FIRST_AFTER_MS + number * everyMs
    return choice === 'none' || number > 0 ? undefined : liveSinceEpochMs
  }
  return {
    takeDue(nowEpochMs) {
      const dueEpochMs = timeOf(planted)
      if (dueEpochMs === undefined || dueEpochMs > nowEpochMs) return undefined
      return incidentBy(choice, planted++)
    },
    get nextEpochMs() {
      return timeOf(planted)
    },
  }
}

function incidentBy(choice: IncidentChoice, number: number): Incident {
  if (choice === 'scheduled' || choice === 'none') return incidentInRotation(number)
  if (typeof choice === 'string') return incidentOf(choice, number)
  return incidentOf(choice.kind, placesOf(choice.kind).indexOf(choice.service))
}
