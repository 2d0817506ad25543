export type AnomalyKind = 'error_rate' | 'latency' | 'traffic_drop' | 'traffic_surge'

/** An anomaly that is not over. Times are minutes. */
export interface OpenAnomaly {
  onset: number
  /** The figure in the hour before. */
  before: number
  /** Told for good: its figures no longer change. */
  told: boolean
}

export interface AnomalyState {
  open: Map<AnomalyKind, OpenAnomaly>
  /** Minutes that say nothing about what is normal. */
  closed: { kind: AnomalyKind; start: number; end: number }[]
}

export function noAnomalies(): AnomalyState {
  return { open: new Map(), closed: [] }
}
