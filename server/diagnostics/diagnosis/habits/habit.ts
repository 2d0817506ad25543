import type { Share } from '../../statistics/fisher-exact.ts'
import type { Episode } from '../series/minute-axis.ts'
import type { Mention } from './mention.ts'

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
  /** What records of the statement say, cut, of the time when it was broken where there are any; newest last. None for a step. */
  examples: string[]
  /** That records of the statement tell of; empty where they do not, and for a step. */
  exceptionType: string
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
  /** Whom the reported failure speaks of by name; undefined where it is nobody else. */
  mention: Mention | undefined
  /** Whether a span of the operation broke it; undefined where that is not known. */
  isBrokenBy(span: SpanSteps): boolean | undefined
}

/** A span, and the operations of the same service's spans right below it. */
export interface SpanSteps {
  traceId: string
  spanId: string
  steps: ReadonlySet<string>
}

/** Where the trouble is that a broken habit tells of. */
export function suspectOf({ serviceName, mention }: BrokenHabit): string {
  return mention?.serviceName ?? serviceName
}
