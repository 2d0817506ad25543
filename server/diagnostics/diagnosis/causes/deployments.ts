import { indexOn, NS_PER_MINUTE } from '../series/minute-axis.ts'
import type { Inquiry } from './inquiry.ts'
import { textOf } from './standing-out.ts'

export interface Deployment {
  previousVersion: string
  currentVersion: string
  /** The minute in which the new version first did anything. */
  minute: number
}

/** How long before the trouble a change may lie, and how much later it may seem to come. */
const BEFORE_MINUTES_MAX = 15
const AFTER_MINUTES_MAX = 1

/** The newest version that the suspect's service began to run shortly before its trouble. */
export function deploymentBefore({ suspect, overview, details, episode }: Inquiry): Deployment | undefined {
  const { resources, rows } = details.resources
  const own = rows.filter(({ serviceName }) => serviceName === suspect.serviceName)
  const firstMinute = new Map<string, number>()
  for (const { resourceIndex, minuteNs } of own) {
    const version = textOf(resources[resourceIndex]?.['service.version'])
    const minute = indexOn(overview.axis, minuteNs)
    if (version === '' || minute === undefined) continue
    firstMinute.set(version, Math.min(minute, firstMinute.get(version) ?? minute))
  }
  const byAge = [...firstMinute].toSorted(([, a], [, b]) => a - b)
  const newest = byAge.findLast(([, minute]) => isNear(minute, episode.from))
  const previous = byAge.findLast(([, minute]) => newest !== undefined && minute < newest[1])
  if (!newest || !previous) return undefined
  return { previousVersion: previous[0], currentVersion: newest[0], minute: newest[1] }
}

function isNear(minute: number, onset: number): boolean {
  return onset - minute <= BEFORE_MINUTES_MAX && minute - onset <= AFTER_MINUTES_MAX
}

/** What was recorded of the service shortly before the trouble, newest last. */
export function changesBefore({ suspect, overview }: Inquiry, type: string) {
  const earliestNs = suspect.onsetNs - BigInt(BEFORE_MINUTES_MAX) * NS_PER_MINUTE
  const latestNs = suspect.onsetNs + BigInt(AFTER_MINUTES_MAX) * NS_PER_MINUTE
  return overview.changes.filter(
    (change) =>
      change.type === type &&
      change.serviceName === suspect.serviceName &&
      change.atNs >= earliestNs &&
      change.atNs <= latestNs,
  )
}
