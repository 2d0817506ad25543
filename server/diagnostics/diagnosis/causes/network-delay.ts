import type { Explanation, Inquiry } from './inquiry.ts'
import { milliseconds } from './wording.ts'

const VOTES_SHARE_MIN = 0.4

/** Time is added between a caller's span and the callee's. */
export function networkDelay({ suspect }: Inquiry): Explanation | undefined {
  const delayed = suspect.votes.filter(({ place, by }) => place.at === 'network' && by === 'time')
  if (delayed.length < VOTES_SHARE_MIN * suspect.votes.length) return undefined
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
    strength: 0.55 + 0.25 * (delayed.length / suspect.votes.length),
    evidence: [
      `${delayed.length} of ${suspect.votes.length} bad requests looked at lost most of their time between a call and its answer's span, ${milliseconds(added)} more than usual at the median: ${way}, as in trace ${most?.traceId ?? ''}`,
    ],
    mayFollow: false,
  }
}
