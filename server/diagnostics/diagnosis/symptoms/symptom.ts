import type { Episode } from '../series/minute-axis.ts'
import type { EdgeSeries, OperationSeries, SeriesSums } from '../series/minute-series.ts'

/** Whose requests, or whose calls to whom. */
export type Subject =
  | { of: 'operation'; series: OperationSeries }
  | { of: 'service'; series: OperationSeries }
  | { of: 'edge'; series: EdgeSeries }

/** Something that got worse and could be seen: never a cause by itself. */
export interface Symptom {
  kind: 'errors' | 'latency'
  subject: Subject
  /** The service that shows it: the caller, for an edge. */
  serviceName: string
  episode: Episode
  onsetNs: bigint
  /** Minutes of the same series in which nothing was wrong with it. */
  calm: number[]
  before: SeriesSums
  during: SeriesSums
  /** Corrected for everything that was compared. */
  pValue: number
  /** For how many things that was. */
  tried: number
  /** Whether some of its requests are looked at one by one. */
  isLookedAt: boolean
}
