import type { TimeWindow } from '../../domain/time-window.ts'

export const DIAGNOSIS_SEVERITIES = ['critical', 'warning'] as const
export type DiagnosisSeverity = (typeof DIAGNOSIS_SEVERITIES)[number]

/** What broke, in an engineer's words, with numbers. */
export interface Diagnosis {
  cause: string
  /** 0 to 1. */
  confidence: number
  severity: DiagnosisSeverity
  /** The service at fault, then its callers that suffer, nearest first. */
  affectedServices: string[]
  evidence: string[]
  firstDetectedNs: bigint
  impactedTraceCount: number
}

/** Traces that failed or slowed through a cause, as a trace search finds them. */
export interface ImpactFilter {
  window: TimeWindow
  serviceName: string
  operationName?: string
  status: 'OK' | 'ERROR'
  minDurationMs?: number
}

/** A diagnosis before its traces are counted, and before it is known how often such ones are right. */
export interface Finding extends Omit<Diagnosis, 'impactedTraceCount' | 'confidence'> {
  /** How much speaks for it, 0 to 1. */
  score: number
  /** Until when it was seen. */
  endNs: bigint
  /** A trace seldom matches more than one of these. */
  impact: ImpactFilter[]
  /** What was seen of it otherwise: at least so many traces. */
  sampledTraceCount: number
}
