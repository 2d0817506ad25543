import { eventOf, type FoundEvent, shown } from './found-event.ts'
import { keepLatest, mainOf, seeMinute, takeGone } from './presence.ts'
import { type ServiceMinute, workBy } from './service-minutes.ts'
import { mayTell, type ServiceState } from './service-state.ts'

const ABSENCE = { silentMinutes: 3, trustsStreaks: false }
/** A straggler of an old version is no rollback. */
const RETURN_WORK_MIN = 3
/** After so long with both versions it is no rolling deployment but a canary. */
export const ROLL_MINUTES_MAX = 30
const VERSIONS_MAX = 20
const ROLLS_KEPT_MINUTES = 120

/**
 * Deployments: the first time that a service is seen with a version that is not there already. Instances that follow belong
 * to the same deployment, whether all follow or only a canary runs. A version that was gone and is back is a rollback.
 */
export function versionChanges(service: ServiceState, name: string, now: ServiceMinute): FoundEvent[] {
  const { versions, pastVersions, returning } = service
  const before = mainOf(versions)
  const work = workBy(now, 'version')
  const arrived = seeMinute(versions, now.minute, work)
  if (before === undefined) return []
  for (const version of arrived) returning.set(version, { minute: now.minute, previous: before, work: 0 })
  const events = announced(service, name, work)
  for (const [version, { last }] of takeGone(versions, now.minute, ABSENCE)) {
    pastVersions.set(version, { last })
    returning.delete(version)
    for (const roll of service.rolls) if (roll.previous === version) roll.end ??= last
  }
  keepLatest(versions, VERSIONS_MAX)
  keepLatest(pastVersions, VERSIONS_MAX)
  return events
}

/** Those that have arrived, as soon as that is certain. */
function announced(service: ServiceState, name: string, work: Map<string, number>): FoundEvent[] {
  const events: FoundEvent[] = []
  for (const [version, arrival] of service.returning) {
    arrival.work += work.get(version) ?? 0
    const isBack = service.pastVersions.has(version)
    if (isBack && arrival.work < RETURN_WORK_MIN) continue
    service.returning.delete(version)
    service.pastVersions.delete(version)
    if (version === '') continue
    const { minute, previous } = arrival
    service.rolls.push({ start: minute, version, previous })
    if (mayTell(service, 'deployment', minute)) events.push(deployment(name, { version, isBack, minute, previous }))
  }
  return events
}

/** Rolling deployments end by themselves. */
export function endRolls(service: ServiceState, minute: number): void {
  for (const roll of service.rolls) {
    if (roll.end !== undefined || minute <= roll.start + ROLL_MINUTES_MAX) continue
    roll.end = roll.start + ROLL_MINUTES_MAX
    roll.canary = true
  }
  service.rolls = service.rolls.filter((roll) => roll.end === undefined || roll.end > minute - ROLLS_KEPT_MINUTES)
}

interface Deployment {
  version: string
  previous: string
  isBack: boolean
  minute: number
}

function deployment(serviceName: string, { version, previous, isBack, minute }: Deployment): FoundEvent {
  const did = isBack ? 'rolled back to' : 'deployed'
  return eventOf({
    type: 'deployment',
    serviceName,
    minute,
    subject: version,
    description: `${did} version ${shown(version)} (previously ${shown(previous) || 'without a version'})`,
    details: { previousVersion: previous, currentVersion: version },
  })
}
