import type { RiseLimits } from '../series/strongest-rise.ts'
import type { BrokenHabit, SpanSteps } from './habit.ts'
import type { Example } from './statements.ts'

/** A habit is what nearly every span keeps: what varies with who asks, and for what, is none. */
export const BROKEN_BEFORE_MAX = 0.05
export const BROKEN_DURING_MIN = 0.3
export const LIMITS: RiseLimits = { partsMin: 4, wholesMin: 5, restWholesMin: 30 }
/** What more spans than this do, they do whatever else they do. */
export const ALWAYS = 0.95
/** With more steps than this, too many pairs of them would be looked at. */
export const PAIRED_STEPS_MAX = 14

/** What may be a habit, and how often it was broken. */
export interface Watched
  extends Pick<
    BrokenHabit,
    'serviceName' | 'operationName' | 'of' | 'way' | 'name' | 'given' | 'exceptionType' | 'severityNumber'
  > {
  examples: Example[]
  /** Spans that break it, and all to which it applies, by minute. */
  parts: number[]
  wholes: number[]
  beforeMax: number
  duringMin: number
  /** Of a span that broke it. */
  newestTrace(): string
  isBrokenBy(span: SpanSteps): boolean | undefined
}
