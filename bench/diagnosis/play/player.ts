import type { Incident } from '../incidents/incident.ts'

/** A diagnosis as it was answered. Times are moved back to those of the incident's label. */
export interface GivenDiagnosis {
  cause: string
  confidence: number
  affectedServices: string[]
  evidence: string[]
  firstDetectedMs: number
}

export interface Answer {
  diagnoses: GivenDiagnosis[]
  tookMs: number
}

/** An incident that was played into a Grid of its own. */
export interface Played {
  incident: Incident
  ask(atMs: number, windowMinutes: number): Promise<Answer>
  /** Makes room for others. */
  forget(): Promise<void>
}

/** Plays incidents, and asks what broke. */
export interface Player {
  /** How many incidents are best played before they are asked about. */
  readonly atOnce: number
  /** Resolves once everything was taken, and the background has looked through all of it. */
  play(incidents: Incident[]): Promise<Played[]>
  close(): Promise<void>
}
