import type { FoundEvent } from './found-event.ts'

/** An event, and what it was found in. */
export interface SourcedEvent extends FoundEvent {
  source: string
}

export interface KnownEvent {
  key: string
  atMs: number
  type: string
  severity: string
  serviceName: string
  description: string
  details: Record<string, string>
  source: string
  /** Nothing alters it any more. */
  isSettled: boolean
}

/** Late telemetry moves an event by no more than this and leaves it the same one. */
const MOVED_MS_MAX = 30 * 60_000

/** What tells events of one type and service apart, besides their time. */
const SUBJECTS: Partial<Record<string, string[]>> = {
  deployment: ['currentVersion'],
  configuration: ['attributes'],
  anomaly: ['metric'],
  recovery: ['metric'],
  scaling: [],
}

/**
 * What to change in what is recorded, now that these sources were looked through again and `found` is all there is in them.
 * A settled event stays where it was recorded, also when it would now be found a little earlier or later, and is not
 * recorded twice.
 */
export function eventRevision(found: SourcedEvent[], known: KnownEvent[]): { put: SourcedEvent[]; withdraw: string[] } {
  const foundByKey = new Map(found.map((event) => [event.key, event]))
  const knownByKey = new Map(known.map((event) => [event.key, event]))
  const lost = known.filter(({ key }) => !foundByKey.has(key))
  const added = [...foundByKey.values()].filter(({ key }) => !knownByKey.has(key))
  const moved = movedEvents(
    lost.filter(({ isSettled }) => isSettled),
    added,
  )
  const altered = [...foundByKey.values()].filter((event) => {
    const before = knownByKey.get(event.key)
    return before !== undefined && !before.isSettled && !isSame(before, event)
  })
  return {
    put: [...altered, ...added.filter((event) => !moved.has(event))],
    withdraw: lost.filter(({ isSettled }) => !isSettled).map(({ key }) => key),
  }
}

/** Each settled event that is no longer found stands for one that is, if there is one like it nearby. */
function movedEvents(settled: KnownEvent[], added: SourcedEvent[]): Set<SourcedEvent> {
  const moved = new Set<SourcedEvent>()
  for (const before of settled) {
    const alike = added.filter((event) => !moved.has(event) && isAlike(before, event))
    const [nearest] = alike.sort((a, b) => Math.abs(a.atMs - before.atMs) - Math.abs(b.atMs - before.atMs))
    if (nearest) moved.add(nearest)
  }
  return moved
}

function isAlike(a: KnownEvent, b: SourcedEvent): boolean {
  const subject = SUBJECTS[a.type]
  if (subject === undefined || a.type !== b.type || a.serviceName !== b.serviceName) return false
  return Math.abs(a.atMs - b.atMs) <= MOVED_MS_MAX && subject.every((name) => a.details[name] === b.details[name])
}

function isSame(a: KnownEvent, b: SourcedEvent): boolean {
  return (
    a.atMs === b.atMs &&
    a.severity === b.severity &&
    a.description === b.description &&
    a.source === b.source &&
    JSON.stringify(a.details) === JSON.stringify(b.details)
  )
}
