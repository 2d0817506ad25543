import { windowOf } from '../series/minute-axis.ts'
import { deploymentBefore } from './deployments.ts'
import type { Explanation, Inquiry } from './inquiry.ts'
import { badByValue, badCountOf, trafficByValue } from './standing-out.ts'
import { clock, percent } from './wording.ts'

/** Below this share of the requests, the old version still says how things would be without the new one. */
const ALL_BUT = 0.95

/** A new version shortly before, which bad requests met at least as often as others did. */
export function badDeployment(inquiry: Inquiry): Explanation | undefined {
  const deployment = deploymentBefore(inquiry)
  if (deployment === undefined) return undefined
  const { previousVersion, currentVersion, minute } = deployment
  const badShare = shareOf(badByValue(inquiry, 'service.version'), currentVersion)
  const trafficShare = shareOf(trafficByValue(inquiry, 'service.version'), currentVersion)
  const minutesBefore = Math.max(0, inquiry.episode.from - minute)
  const strength = strengthOf(badShare, trafficShare, minutesBefore)
  if (strength === undefined) return undefined
  const { serviceName } = inquiry.suspect
  const met = badCountOf(inquiry, 'service.version', currentVersion)
  const since = clock(windowOf(inquiry.overview.axis, { from: minute, to: minute + 1 }).startNs)
  return {
    cause: 'badDeployment',
    detail: `${previousVersion} → ${currentVersion}`,
    strength,
    evidence: [
      `${serviceName} runs service.version ${currentVersion} since ${since}, ${previousVersion} before`,
      `${met.part} of ${met.whole} bad requests looked at met ${currentVersion}, which served ${percent(trafficShare)} of all requests of ${serviceName}`,
    ],
    mayFollow: false,
  }
}

function strengthOf(badShare: number, trafficShare: number, minutesBefore: number): number | undefined {
  if (trafficShare >= ALL_BUT) return badShare >= ALL_BUT ? 0.88 - 0.015 * minutesBefore : undefined
  if (badShare < 0.75 || badShare < trafficShare) return undefined
  return badShare >= 0.95 || badShare >= 1.3 * trafficShare ? 0.95 : 0.8
}

function shareOf(counts: Map<string, number>, value: string): number {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  return total === 0 ? 0 : (counts.get(value) ?? 0) / total
}
