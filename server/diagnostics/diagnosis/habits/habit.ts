import type { Share } from '../../statistics/fisher-exact.ts'
import type { Episode } from '../series/minute-axis.ts'

/** What a service nearly always did, or never, whenever it did something else; and does otherwise now. */
export interface BrokenHabit {
  serviceName: string
  /** Of the spans that had it; empty for the requests of the service in general. */
  operationName: string
  of: 'step' | 'statement'
  way: 'missing' | 'new'
  /** The operation of a span below, or the template of a log record. Empty for a step: any step at all. */
  name: string
  /** Only where this step is taken as well; empty for always. */
  given: string
  /** What a record of the statement says, cut; empty for a step. */
  example: string
  /** Of the statement, as OTLP numbers it; 0 for a step. */
  severityNumber: number
  episode: Episode
  onsetNs: bigint
  /** How many of how many broke it. */
  before: Share
  during: Share
  /** Corrected for everything that was compared. */
  pValue: number
  /** In which to see it. */
  traceId: string
}
