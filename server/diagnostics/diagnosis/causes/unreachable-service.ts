import { minutesOf, sumsOver } from '../series/minute-series.ts'
import { type Explanation, edgesInto, type Inquiry, shareOfVotes } from './inquiry.ts'
import { trafficChange } from './traffic-change.ts'
import { failureLine } from './wording.ts'

const VOTES_SHARE_MIN = 0.4
/** What is left of its requests when a service can be called gone. */
const LEFT_SHARE_MAX = 0.1

/** Callers get no answer from a service that used to give one. */
export function unreachableService(inquiry: Inquiry): Explanation | undefined {
  const { suspect, overview, episode, calm } = inquiry
  const unanswered = suspect.votes.filter(
    ({ place, by }) => by === 'error' && place.at === 'call' && place.targetIsService,
  )
  if (unanswered.length < VOTES_SHARE_MIN * suspect.votes.length) return undefined
  const series = overview.services.find(({ serviceName }) => serviceName === suspect.serviceName)
  const traffic = series && trafficChange(series, overview.axis, episode, calm)
  const isGone = traffic === undefined || traffic.factor <= LEFT_SHARE_MAX
  const refused = shareOfVotes(inquiry, ({ failure }) => failure?.class === 'refused')
  return {
    cause: 'unreachableService',
    detail: '',
    strength: isGone ? 0.93 : refused >= 0.5 ? 0.8 : 0.55,
    evidence: [
      traffic
        ? `${suspect.serviceName} served ${Math.round(traffic.during)} requests a minute, ${Math.round(traffic.before)} before`
        : '',
      unansweredLine(inquiry),
      failureLine(unanswered, suspect.votes.length),
    ].filter(Boolean),
    mayFollow: false,
  }

  function unansweredLine(whole: Inquiry): string {
    const lines = edgesInto(whole).map((edge) => {
      const during = sumsOver(edge, minutesOf(episode))
      const count = [...minutesOf(episode)].reduce((sum, i) => sum + (edge.unanswered[i] ?? 0), 0)
      return {
        count,
        text: `${count} of ${during.requests} calls of ${edge.sourceName} to ${suspect.serviceName} failed without an answer (services)`,
      }
    })
    return lines.filter(({ count }) => count > 0).toSorted((a, b) => b.count - a.count)[0]?.text ?? ''
  }
}
