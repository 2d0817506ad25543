import type { CauseKey } from '../../../server/diagnostics/diagnosis/catalogue.ts'
import type { Signal } from '../../../server/ingest/ingest.ts'

/** One thing that is wrong, and how a right answer is told from a wrong one. */
export interface PlantedFault {
  /** What `affectedServices` of a right answer begins with: any of these, where a dependency outside has several callers. */
  serviceNames: string[]
  /** Phrases of the catalogue that are right; every other one is wrong. */
  causes: readonly CauseKey[]
  /** Any of these names what is at fault closer than the service: a dependency, instance, version, region or customer. */
  culprit?: { what: Culprit; names: string[] }
}

export type Culprit = 'dependency' | 'instance' | 'version' | 'region' | 'customer'

/** What is true of an incident, which the server is never told. */
export interface Label {
  id: string
  /** What it happened in, such as the name of a real system. */
  system: string
  /** What was done to it; figures are given for each kind. */
  kind: string
  /** None in a quiet stretch. */
  faults: PlantedFault[]
  onsetMs: number
  /** The moment that is asked about. */
  endMs: number
  isGradual: boolean
}

/** An OTLP export request, as JSON. */
export interface Export {
  signal: Signal
  body: string
}

/** What an incident is before its telemetry is read or made, which takes memory. */
export interface Incident {
  label: Label
  /** Everything that was sent, by time within each signal, moved by so many milliseconds. */
  exports(moveMs: number): Iterable<Export>
}

export function isQuiet({ faults }: Label): boolean {
  return faults.length === 0
}
