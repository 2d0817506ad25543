import type { Attributes } from './attributes.ts'

export type SeverityLevel = 'Trace' | 'Debug' | 'Information' | 'Warning' | 'Error' | 'Fatal'

/** By rank. */
export const SEVERITY_LEVELS: readonly SeverityLevel[] = ['Trace', 'Debug', 'Information', 'Warning', 'Error', 'Fatal']

const NUMBERS_PER_LEVEL = 4

/** OTLP numbers severities 1 to 24, four to a level; 0 means that none was given, which reads as information. */
export function severityLevelOf(severityNumber: number): SeverityLevel {
  return SEVERITY_LEVELS[Math.floor((severityNumber - 1) / NUMBERS_PER_LEVEL)] ?? 'Information'
}

/** The first and the last number of a level; for information, 0 and what OTLP does not know come on top. */
export function severityNumbersOf(level: SeverityLevel): { first: number; last: number } {
  const last = (SEVERITY_LEVELS.indexOf(level) + 1) * NUMBERS_PER_LEVEL
  return { first: last - NUMBERS_PER_LEVEL + 1, last }
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
  /** The statement that it comes from, as far as its body alone tells: see `logTemplate`. */
  template: string
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
