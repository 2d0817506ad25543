import { eventOf, type FoundEvent } from './found-event.ts'
import { isQuiet, seeMinute, takeGone } from './presence.ts'
import { type ServiceMinute, workBy } from './service-minutes.ts'
import type { Roll, ServiceState, Step } from './service-state.ts'

/** An instance is live for 5 minutes after its last span. */
const ABSENCE = { silentMinutes: 5, trustsStreaks: true }
/** Steps no further apart are one change, */
const APART_MINUTES_MAX = 5
/** which goes on for no longer than this, unless a rolling deployment does. */
const CHANGE_MINUTES_MAX = 30
/** That an instance is gone is known later than when it went; where it is known much later, it counts from then. */
const BACKDATED_MINUTES_MAX = 15
/** An instance seen for the first time after so few requests to each of the others may have been there all along. */
const LEARNED_WORK = 10
const INSTANCES_MAX = 500
const FORGOTTEN_MINUTES = 24 * 60

/** Takes note of instances that came and went in a minute. What has changed by it is told by `settledScalings`. */
export function seeInstances(service: ServiceState, now: ServiceMinute): void {
  const { instances } = service
  const work = workBy(now, 'instance')
  work.delete('')
  for (const name of work.keys()) if (!instances.has(name) && instances.size >= INSTANCES_MAX) work.delete(name)
  if (work.size === 0) return
  const countBefore = instances.size
  const arrived = seeMinute(instances, now.minute, work)
  const learning =
    now.minute - service.first <= APART_MINUTES_MAX || service.work < LEARNED_WORK * (countBefore + arrived.length)
  for (const _ of arrived) {
    if (learning) service.instanceCount++
    else service.steps.push({ minute: now.minute, change: 1 })
  }
  for (const [, { last }] of takeGone(instances, now.minute, ABSENCE)) {
    const wentLately = now.minute - last <= BACKDATED_MINUTES_MAX
    service.steps.push({ minute: wentLately ? last + 1 : now.minute, change: -1 })
  }
  for (const [name, { last }] of instances) {
    if (now.minute - last <= FORGOTTEN_MINUTES) continue
    instances.delete(name)
    service.instanceCount--
  }
}

/** Changes of the number of instances that nothing seen from this minute on can alter. */
export function settledScalings(service: ServiceState, name: string, minute: number): FoundEvent[] {
  const events: FoundEvent[] = []
  for (const change of changesOf(service)) {
    if (change.isOpen || minute <= change.end + APART_MINUTES_MAX + BACKDATED_MINUTES_MAX + 1) break
    events.push(...scaling(name, change, service.instanceCount))
    service.instanceCount += change.net
    service.steps = service.steps.filter((step) => !change.steps.includes(step))
  }
  return events
}

/** What the number of instances seems to be doing at this moment. */
export function unsettledScalings(service: ServiceState, name: string): FoundEvent[] {
  let count = service.instanceCount
  return changesOf(service).flatMap((change) => {
    const seen = { ...change, net: change.net - aboutToGo(service, change) }
    const events = change.isOpen ? [] : scaling(name, seen, count)
    count += change.net
    return events
  })
}

interface Change {
  steps: Step[]
  start: number
  end: number
  net: number
  /** A rolling deployment that it belongs to is still going on. */
  isOpen: boolean
  /** It belongs to a canary, whose instances come in addition. */
  hasCanary: boolean
}

function changesOf({ steps, rolls }: ServiceState): Change[] {
  const groups: Step[][] = []
  for (const step of steps.toSorted((a, b) => a.minute - b.minute)) {
    const group = groups.at(-1)
    if (group !== undefined && belongsTo(group, step, rolls)) group.push(step)
    else groups.push([step])
  }
  return groups.map((group) => changeOf(group, rolls))
}

function belongsTo(group: Step[], step: Step, rolls: Roll[]): boolean {
  const start = (group[0] as Step).minute
  const last = (group.at(-1) as Step).minute
  if (rolls.some((roll) => covers(roll, last) && covers(roll, step.minute))) return true
  return step.minute - last <= APART_MINUTES_MAX && step.minute - start <= CHANGE_MINUTES_MAX
}

function covers({ start, end }: Roll, minute: number): boolean {
  return minute >= start - APART_MINUTES_MAX && (end === undefined || minute <= end + APART_MINUTES_MAX + 1)
}

function changeOf(steps: Step[], rolls: Roll[]): Change {
  const own = rolls.filter((roll) => steps.some((step) => covers(roll, step.minute)))
  const end = (steps.at(-1) as Step).minute
  return {
    steps,
    start: (steps[0] as Step).minute,
    end: Math.max(end, ...own.map((roll) => roll.end ?? end)),
    net: steps.reduce((sum, { change }) => sum + change, 0),
    isOpen: own.some((roll) => roll.end === undefined),
    hasCanary: own.some((roll) => roll.canary === true),
  }
}

/** An instance that was replaced a moment ago is not yet known to be gone. */
function aboutToGo({ instances }: ServiceState, { net, start, end }: Change): number {
  const quiet = [...instances.values()].filter(
    (stay) => isQuiet(stay) && stay.last + 1 >= start - APART_MINUTES_MAX && stay.last + 1 <= end + APART_MINUTES_MAX,
  )
  return Math.min(Math.max(0, net), quiet.length)
}

function scaling(serviceName: string, { start, net, hasCanary }: Change, from: number): FoundEvent[] {
  const to = from + net
  if (net === 0 || from <= 0 || to <= 0 || (hasCanary && net > 0)) return []
  const description = `scaled from ${from} to ${to} ${to === 1 ? 'instance' : 'instances'}`
  const details = { previousCount: String(from), currentCount: String(to) }
  return [eventOf({ type: 'scaling', serviceName, minute: start, description, details })]
}
