import { groupedBy } from '../grouped-by.ts'
import { type Explanation, type Inquiry, shareOfVotes } from './inquiry.ts'
import { failureLine } from './wording.ts'

/** Code of the service throws. */
export function exception(inquiry: Inquiry): Explanation | undefined {
  const { votes } = inquiry.suspect
  const thrown = votes.filter(
    ({ place, by, failure }) => place.at === 'inside' && by === 'error' && failure?.isException,
  )
  if (thrown.length < 0.4 * votes.length) return undefined
  const byType = [...groupedBy(thrown, ({ failure }) => failure?.type ?? '')].toSorted(
    ([, a], [, b]) => b.length - a.length,
  )
  const share = thrown.length / votes.length
  return {
    cause: 'exception',
    detail: byType[0]?.[0] ?? '',
    strength: 0.5 + 0.2 * share,
    evidence: [failureLine(thrown, votes.length)].filter(Boolean),
    mayFollow:
      shareOfVotes(inquiry, ({ failure }) => failure?.class === 'timeout' || failure?.class === 'rejected') > 0.5,
  }
}

/** The service answers with failures of which nothing more is known. */
export function errorReturn(inquiry: Inquiry): Explanation | undefined {
  const { votes } = inquiry.suspect
  const returned = votes.filter(
    ({ place, by, failure }) => place.at === 'inside' && by === 'error' && !failure?.isException,
  )
  if (returned.length < 0.4 * votes.length) return undefined
  const byType = [...groupedBy(returned, ({ failure }) => failure?.type ?? '')].toSorted(
    ([, a], [, b]) => b.length - a.length,
  )
  return {
    cause: 'errorReturn',
    detail: byType[0]?.[0] ?? '',
    strength: 0.45 + 0.2 * (returned.length / votes.length),
    evidence: [failureLine(returned, votes.length)].filter(Boolean),
    mayFollow: false,
  }
}

/** The service refuses because it is asked too much, by a rule and not for want of strength. */
export function rateLimitingInside(inquiry: Inquiry): Explanation | undefined {
  const { votes } = inquiry.suspect
  const refused = votes.filter(({ place, failure }) => place.at === 'inside' && failure?.class === 'throttled')
  if (refused.length < 0.5 * votes.length) return undefined
  return {
    cause: 'rateLimiting',
    detail: '',
    strength: 0.78,
    evidence: [failureLine(refused, votes.length)].filter(Boolean),
    mayFollow: false,
  }
}
