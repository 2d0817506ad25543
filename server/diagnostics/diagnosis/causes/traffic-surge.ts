import { entriesAbove } from '../call-graph.ts'
import { type Explanation, type Inquiry, saturationsOf, shareOfVotes } from './inquiry.ts'
import { type TrafficChange, trafficChange } from './traffic-change.ts'
import { saturationLine, times } from './wording.ts'

const FACTOR_MIN = 1.5
/** What comes in must rise at least this much where it comes from, or it is made on the way. */
const ENTRY_FACTOR_MIN = 1.2

interface Surge extends TrafficChange {
  operationName: string
}

/** More requests than before reach the service, from the very edge of the system, and it is slow or refuses. */
export function trafficSurge(inquiry: Inquiry): Explanation | undefined {
  const surge = strongestSurge(inquiry)
  if (surge === undefined || !comesFromOutside(inquiry)) return undefined
  // Code that throws does so whatever the load.
  if (shareOfVotes(inquiry, ({ by, failure }) => by === 'error' && failure?.class === 'other') > 0.5) return undefined
  const { serviceName } = inquiry.suspect
  const { before, during, factor, operationName } = surge
  const saturations = saturationsOf(inquiry, 'cpu', 'thread_pool', 'event_loop', 'connection_pool', 'concurrency')
  return {
    cause: 'trafficSurge',
    detail: operationName,
    strength: Math.min(0.93, 0.75 + (saturations.length > 0 ? 0.08 : 0) + (factor >= 2 ? 0.1 : 0)),
    evidence: [
      `${serviceName} ${operationName}: ${Math.round(during)} requests a minute, ${times(factor)} the ${Math.round(before)} of before`,
      ...saturations.slice(0, 1).map(saturationLine),
    ],
    mayFollow: false,
  }
}

/** The operation whose added requests are the most. */
function strongestSurge({ suspect, overview, episode, calm }: Inquiry): Surge | undefined {
  return overview.operations
    .filter(({ serviceName }) => serviceName === suspect.serviceName)
    .map((series): Surge => {
      const change = trafficChange(series, overview.axis, episode, calm)
      return { ...change, operationName: series.operationName }
    })
    .filter(({ factor, isBeyondChance }) => factor >= FACTOR_MIN && isBeyondChance)
    .toSorted((a, b) => b.during - b.before - (a.during - a.before))[0]
}

/**
 * A service that nobody calls is where requests come in; else it must have become more where they do. Those in between call more
 * often also because they call again.
 */
function comesFromOutside({ suspect, overview, episode, calm }: Inquiry): boolean {
  const entries = entriesAbove(suspect.serviceName, overview.edges)
  if (entries.has(suspect.serviceName)) return true
  return overview.operations.some((series) => {
    if (!entries.has(series.serviceName)) return false
    const { factor, isBeyondChance, during, before } = trafficChange(series, overview.axis, episode, calm)
    return factor >= ENTRY_FACTOR_MIN && isBeyondChance && during > before
  })
}
