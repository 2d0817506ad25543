import { minutesOf, sumsOver } from '../series/minute-series.ts'
import type { Place } from '../traces/place.ts'
import { type Explanation, edgesInto, type Inquiry, shareOfVotes } from './inquiry.ts'
import { times } from './wording.ts'

const FACTOR_MIN = 1.5
/** To try three times is customary, and follows from any failure. */
const STORM_FACTOR_MIN = 3.2
const FAILED_SHARE_MIN = 0.1

/** Callers ask much more often for each request of their own, because calls fail; what comes in from outside did not grow. */
export function retryStorm(inquiry: Inquiry): Explanation | undefined {
  const { overview, episode, calm, suspect } = inquiry
  // Calls are repeated also where something outside fails, and do no harm there.
  const overloaded = shareOfVotes(
    inquiry,
    ({ by, failure, place }) => isInTheSystem(place) && (by === 'time' || failure?.class !== 'other'),
  )
  if (overloaded < 0.5) return undefined
  for (const edge of edgesInto(inquiry)) {
    const caller = overview.services.find(({ serviceName }) => serviceName === edge.sourceName)
    if (caller === undefined) continue
    const during = sumsOver(edge, minutesOf(episode))
    const before = sumsOver(edge, calm)
    const perRequest = during.requests / Math.max(1, sumsOver(caller, minutesOf(episode)).requests)
    const perRequestBefore = before.requests / Math.max(1, sumsOver(caller, calm).requests)
    const factor = perRequest / Math.max(perRequestBefore, 1e-9)
    if (before.requests < 30 || during.requests < 30 || factor < FACTOR_MIN) continue
    if (during.errors / during.requests < FAILED_SHARE_MIN) continue
    return {
      cause: 'retryStorm',
      detail: `calls of ${edge.sourceName}`,
      strength: factor >= STORM_FACTOR_MIN ? 0.9 : 0.6,
      evidence: [
        `${edge.sourceName} calls ${suspect.serviceName} ${times(factor)} as often for each of its own requests as before, and ${Math.round((100 * during.errors) / during.requests)} % of ${during.requests} calls fail`,
      ],
      mayFollow: false,
    }
  }
  return undefined
}

function isInTheSystem(place: Place): boolean {
  return place.at !== 'call' || place.targetIsService
}
