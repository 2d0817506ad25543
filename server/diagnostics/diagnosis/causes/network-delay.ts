import type { SlowWay } from '../ways/slow-ways.ts'
import { type Explanation, type Inquiry, saturationsOf } from './inquiry.ts'
import { milliseconds } from './wording.ts'

const VOTES_SHARE_MIN = 0.4
const LINES_MAX = 2

/** Time is added between a caller's span and the callee's. */
export function networkDelay(inquiry: Inquiry): Explanation | undefined {
  return seenOnWays(inquiry) ?? seenInRequests(inquiry)
}

function seenOnWays(inquiry: Inquiry): Explanation | undefined {
  const { ways } = inquiry.suspect
  const [surest] = ways.toSorted((a, b) => a.pValue - b.pValue)
  if (surest === undefined) return undefined
  // Who has no strength left to take a call makes it wait as well.
  const isFull = saturationsOf(inquiry, 'cpu', 'thread_pool', 'event_loop', 'concurrency').length > 0
  const factor = surest.duringMs / Math.max(surest.beforeMs, 0.1)
  return {
    cause: 'networkDelay',
    detail: wayText(surest),
    strength: isFull ? 0.55 : factor >= 5 ? 0.78 : 0.68,
    evidence: wayLines(ways),
    mayFollow: false,
  }
}

/** How much time calls lose on the way, surest first, and a trace in which to see it. */
export function wayLines(ways: SlowWay[]): string[] {
  const surestFirst = ways.toSorted((a, b) => a.pValue - b.pValue)
  return [
    ...surestFirst.slice(0, LINES_MAX).map(lineOf),
    ...surestFirst.slice(0, 1).map(({ traceId }) => `as in trace ${traceId}`),
  ]
}

function lineOf(way: SlowWay): string {
  const { beforeMs, duringMs, before, during } = way
  return `calls ${wayText(way)} lose ${milliseconds(duringMs)} between the call and its answer's span, at the median of ${during} looked at; ${milliseconds(beforeMs)} of ${before} before`
}

function wayText({ sourceName, targetName }: SlowWay): string {
  return `${sourceName} → ${targetName}`
}

function seenInRequests({ suspect }: Inquiry): Explanation | undefined {
  const delayed = suspect.votes.filter(({ place, by }) => place.at === 'network' && by === 'time')
  if (delayed.length < VOTES_SHARE_MIN * suspect.votes.length || delayed.length === 0) return undefined
  const ways = new Map<string, { count: number; traceId: string }>()
  for (const { place, traceId } of delayed) {
    if (place.at !== 'network') continue
    const way = `${place.serviceName} → ${place.targetName}`
    ways.set(way, { count: (ways.get(way)?.count ?? 0) + 1, traceId })
  }
  const [way, most] = [...ways].toSorted(([, a], [, b]) => b.count - a.count)[0] ?? []
  const added = delayed.map(({ addedMs }) => addedMs).toSorted((a, b) => a - b)[Math.floor(delayed.length / 2)] ?? 0
  return {
    cause: 'networkDelay',
    detail: way ?? '',
    // Where most calls of a way lose time, the way itself shows it.
    strength: 0.35 + 0.15 * (delayed.length / suspect.votes.length),
    evidence: [
      `${delayed.length} of ${suspect.votes.length} bad requests looked at lost most of their time between a call and its answer's span, ${milliseconds(added)} more than usual at the median: ${way}, as in trace ${most?.traceId ?? ''}`,
    ],
    mayFollow: false,
  }
}
