import { lnChoose } from './ln-choose.ts'
import { twoSidedP } from './two-sided.ts'

export interface EventCount {
  events: number
  /** How long they were counted, above 0, in the same unit on both sides. */
  time: number
}

/**
 * The exact test of two rates of independent events, two-sided: of all events together, each is as likely to fall on one
 * side as that side is long.
 */
export function eventRatesP(before: EventCount, after: EventCount): number {
  const all = before.events + after.events
  const lnShare = Math.log(after.time / (before.time + after.time))
  const lnRest = Math.log(before.time / (before.time + after.time))
  return twoSidedP(
    {
      from: 0,
      to: all,
      lnProbability: (events) => lnChoose(all, events) + events * lnShare + (all - events) * lnRest,
      ratioUp: (events) => ((all - events) / (events + 1)) * (after.time / before.time),
    },
    after.events,
  )
}
