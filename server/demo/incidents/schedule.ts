import { incidentInRotation, incidentOf } from './catalogue.ts'
import type { Incident, IncidentKind } from './incident.ts'

/** All kinds in turn, one kind once and at once, or none. */
export type IncidentChoice = 'scheduled' | 'none' | IncidentKind

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
      const number = planted++
      return choice === 'scheduled' || choice === 'none' ? incidentInRotation(number) : incidentOf(choice, number)
    },
    get nextEpochMs() {
      return timeOf(planted)
    },
  }
}
