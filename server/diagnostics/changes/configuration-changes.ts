import { eventOf, type FoundEvent, shown } from './found-event.ts'
import { keepLatest, type Stay, seeMinute, takeGone } from './presence.ts'
import { settingsIn } from './resource-traits.ts'
import { type ServiceMinute, workBy } from './service-minutes.ts'
import { mayTell, type PendingConfiguration, type ServiceState } from './service-state.ts'
import { ROLL_MINUTES_MAX } from './version-changes.ts'

const ABSENCE = { silentMinutes: 3, trustsStreaks: false }
const CONFIGURATIONS_MAX = 20
/** Of this much work of others, an instance that is set up otherwise would have done some. */
const LEARNED_WORK = 5
/** Two that were there together for so long are not one after the other. */
const TOGETHER_MINUTES_MAX = 30
/** The first spans of a restarted instance may come in two minutes. */
const TAKEN_ON_MINUTES_MAX = 1
const NAMED_MAX = 3

/**
 * Settings that changed: resource attributes that name no identity, were equal on all instances, and have another value on
 * an instance now. What comes with another version belongs to its deployment. To be called before the minute's instances
 * are taken note of.
 */
export function configurationChanges(service: ServiceState, name: string, now: ServiceMinute): FoundEvent[] {
  const { configurations, pendingConfigurations: pending, pastConfigurations: past } = service
  const before = new Map(configurations)
  const arrived = seeMinute(configurations, now.minute, workBy(now, 'configuration'))
  for (const configuration of before.size > 0 ? arrived : []) {
    if (comesWithVersion(service, configuration, now)) continue
    const change = changeTo(configuration, before, past, now.minute)
    if (change) pending.set(configuration, change)
  }
  const gone = takeGone(configurations, now.minute, ABSENCE)
  for (const [configuration, { first, last }] of gone) past.set(configuration, { first, last })
  const events = [...pending].flatMap(([configuration, change]) => {
    const carriers = now.rows.flatMap(({ traits }) => (traits.configuration === configuration ? [traits.instance] : []))
    const isCertain = isProven(service, carriers, change.minute) || gone.some(([old]) => old === change.previous)
    if (isCertain || now.minute > change.minute + ROLL_MINUTES_MAX) pending.delete(configuration)
    const isNews = isCertain && mayTell(service, 'configuration', change.description, change.minute)
    return isNews ? [told(name, change)] : []
  })
  keepLatest(configurations, CONFIGURATIONS_MAX)
  keepLatest(past, CONFIGURATIONS_MAX)
  return events
}

/** An instance that was there before took it on, or several that were there are joined by one that is set up otherwise. */
function isProven({ instances, work }: ServiceState, carriers: string[], minute: number): boolean {
  const old = new Set([...instances].flatMap(([name, { first }]) => (first < minute ? [name] : [])))
  if (carriers.some((instance) => instance === '' || old.has(instance))) return true
  return carriers.length > 0 && old.size > 1 && work >= LEARNED_WORK * old.size
}

/** An instance that was there before may take on a version, and its settings, only together: later they are a change of their own. */
function comesWithVersion(service: ServiceState, configuration: string, now: ServiceMinute): boolean {
  const { versions, instances, first } = service
  return now.rows.some(({ traits }) => {
    const version = traits.configuration === configuration ? versions.get(traits.version) : undefined
    const together = instances.has(traits.instance) ? TAKEN_ON_MINUTES_MAX : ROLL_MINUTES_MAX
    return version !== undefined && version.first > first && version.first >= now.minute - together
  })
}

function changeTo(
  configuration: string,
  before: Map<string, Stay>,
  past: ServiceState['pastConfigurations'],
  minute: number,
): PendingConfiguration | undefined {
  const wasThere = past.get(configuration)
  past.delete(configuration)
  const together = [...before.values()].map(({ first }) => wasThere && wasThere.last - Math.max(first, wasThere.first))
  if (together.some((minutes) => minutes !== undefined && minutes > TOGETHER_MINUTES_MAX)) return
  const present = [...before.keys()].map(settingsIn)
  const changed = [...settingsIn(configuration)].flatMap(([key, value]) => {
    const values = new Set(present.map((settings) => settings.get(key)))
    const [previous] = values
    return values.size === 1 && previous !== undefined && previous !== value ? [{ key, previous, value }] : []
  })
  const latest = [...before].sort(([, a], [, b]) => b.last - a.last || b.own - a.own)[0]
  if (changed.length === 0 || latest === undefined) return
  const named = changed.slice(0, NAMED_MAX).map(({ key, previous, value }) => {
    return `${shown(key)} from ${shown(previous)} to ${shown(value)}`
  })
  const more = changed.length > NAMED_MAX ? ` and ${changed.length - NAMED_MAX} more` : ''
  return {
    minute,
    previous: latest[0],
    description: `changed ${named.join(', ')}${more}`,
    attributes: changed.map(({ key }) => key).join(','),
  }
}

function told(serviceName: string, { minute, description, attributes }: PendingConfiguration): FoundEvent {
  return eventOf({
    type: 'configuration',
    serviceName,
    minute,
    subject: attributes,
    description,
    details: { attributes },
  })
}
