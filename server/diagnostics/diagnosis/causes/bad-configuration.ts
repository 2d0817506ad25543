import { changesBefore } from './deployments.ts'
import type { Explanation, Inquiry } from './inquiry.ts'
import { clock, shortened } from './wording.ts'

/** Changed settings shortly before, and no new version that would explain more. */
export function badConfiguration(inquiry: Inquiry): Explanation | undefined {
  const change = changesBefore(inquiry, 'configuration').at(-1)
  if (change === undefined) return undefined
  return {
    cause: 'badConfiguration',
    detail: '',
    strength: 0.8,
    evidence: [
      `${clock(change.atNs)} configuration of ${change.serviceName}: ${shortened(change.description)} (changes)`,
    ],
    mayFollow: false,
  }
}
