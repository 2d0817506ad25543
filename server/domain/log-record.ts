import type { Attributes } from './attributes.ts'

export type SeverityLevel = 'Trace' | 'Debug' | 'Information' | 'Warning' | 'Error' | 'Fatal'

const LEVELS: readonly SeverityLevel[] = ['Trace', 'Debug', 'Information', 'Warning', 'Error', 'Fatal']

/** OTLP numbers severities 1 to 24, four to a level; 0 means that none was given, which reads as information. */
export function severityLevelOf(severityNumber: number): SeverityLevel {
  return LEVELS[Math.floor((severityNumber - 1) / 4)] ?? 'Information'
}

export interface LogRecord {
  /** Made from the record's whole content, so that the same record always has the same id: 32 hex digits. */
  id: string
  timeNs: bigint
  observedNs: bigint
  severityNumber: number
  severityText: string
  /** A body that is no string is JSON text. */
  body: string
  eventName: string
  /** Empty where the record belongs to no trace. */
  traceId: string
  spanId: string
  flags: number
  serviceName: string
  droppedAttributes: number
  attributes: Attributes
  resource: Attributes
  scopeName: string
  scopeVersion: string
}
