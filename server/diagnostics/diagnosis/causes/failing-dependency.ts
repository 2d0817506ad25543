import { groupedBy } from '../grouped-by.ts'
import type { CastVote } from '../suspects/suspect.ts'
import { shareOf } from '../symptoms/error-rises.ts'
import { type BeforeAndDuring, callsTo, type Explanation, type Inquiry } from './inquiry.ts'
import { failureLine, percent } from './wording.ts'

const VOTES_SHARE_MIN = 0.3
const FAILED_SHARE_MIN = 0.1
const FAILED_FACTOR_MIN = 3

/** Calls to something outside fail, for another reason than being too many. */
export function failingDependency(inquiry: Inquiry): Explanation | undefined {
  return failedCalls(inquiry, 'failingDependency', (vote) => vote.failure?.class !== 'throttled')
}

/** Calls to something outside are refused because there are too many. */
export function rateLimitedDependency(inquiry: Inquiry): Explanation | undefined {
  return failedCalls(inquiry, 'rateLimiting', (vote) => vote.failure?.class === 'throttled')
}

function failedCalls(
  inquiry: Inquiry,
  cause: 'failingDependency' | 'rateLimiting',
  counts: (vote: CastVote) => boolean,
): Explanation | undefined {
  const { votes, serviceName } = inquiry.suspect
  const outside = votes.filter(({ place, by }) => by === 'error' && place.at === 'call' && !place.targetIsService)
  const byTarget = groupedBy(outside.filter(counts), ({ place }) => ('targetName' in place ? place.targetName : ''))
  const [targetName, own] = [...byTarget].toSorted(([, a], [, b]) => b.length - a.length)[0] ?? ['', []]
  const calls = callsTo(inquiry, targetName)
  const named = own.length + (calls && failsMore(calls) ? waitsFor(targetName, votes) : 0)
  if (named < VOTES_SHARE_MIN * votes.length || own.length === 0) return undefined
  const share = named / votes.length
  return {
    cause,
    detail: targetName,
    strength: Math.min(0.88, (cause === 'rateLimiting' ? 0.68 : 0.6) + 0.25 * share),
    evidence: [
      calls
        ? `${percent(shareOf(calls.during))} of ${calls.during.requests} calls of ${serviceName} to ${targetName} fail, ${percent(shareOf(calls.before))} of ${calls.before.requests} before (services)`
        : '',
      failureLine(own, votes.length),
    ].filter(Boolean),
    mayFollow: false,
  }
}

/** Whoever tries again until it succeeds is late instead of failing. */
function waitsFor(targetName: string, votes: CastVote[]): number {
  return votes.filter(({ place, by }) => by === 'time' && place.at === 'call' && place.targetName === targetName).length
}

function failsMore({ before, during }: BeforeAndDuring): boolean {
  return shareOf(during) >= FAILED_SHARE_MIN && shareOf(during) >= FAILED_FACTOR_MIN * shareOf(before)
}
