import { NS_PER_MINUTE } from '../series/minute-axis.ts'
import { changesBefore } from './deployments.ts'
import type { Explanation, Inquiry } from './inquiry.ts'
import { clock, shortened } from './wording.ts'

/** What begins with a change is more likely to come of it than what begins some time later. */
const AT_ONCE_MINUTES = 2

/** Changed settings shortly before, and no new version that would explain more. */
export function badConfiguration(inquiry: Inquiry): Explanation | undefined {
  const change = changesBefore(inquiry, 'configuration').at(-1)
  if (change === undefined) return undefined
  const minutesBefore = Number(inquiry.suspect.onsetNs - change.atNs) / Number(NS_PER_MINUTE)
  return {
    cause: 'badConfiguration',
    detail: '',
    strength: minutesBefore <= AT_ONCE_MINUTES ? 0.9 : 0.8,
    evidence: [
      `${clock(change.atNs)} configuration of ${change.serviceName}: ${shortened(change.description)} (changes)`,
    ],
    mayFollow: false,
  }
}
