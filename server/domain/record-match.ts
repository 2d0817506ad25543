export const DELETABLE_SIGNALS = ['traces', 'logs', 'metrics'] as const
export type DeletableSignal = (typeof DELETABLE_SIGNALS)[number]

/**
 * Which records carry a value: spans that have it among their own attributes or those of their events and links, log records and
 * metric points that have it among their attributes, and all of these whose resource has it.
 */
export interface RecordMatch {
  attribute: string
  /** As texts, any of which is meant. */
  values: string[]
  signals: DeletableSignal[]
}

export interface RecordCounts {
  spans: number
  logRecords: number
  metricPoints: number
}
