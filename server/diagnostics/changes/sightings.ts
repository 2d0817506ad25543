import { eventOf, type FoundEvent, MS_PER_MINUTE, shown } from './found-event.ts'

/** A service, or an endpoint of it, that was seen at least once. */
export interface Sighting {
  serviceName: string
  /** Empty for the service itself. */
  operationName: string
  firstMs: number
  lastMs: number
}

const MS_PER_HOUR = 3_600_000
/** What is seen in the first hour, of a Grid or of a service, was there before anyone looked. */
const LEARNING_MS = MS_PER_HOUR
const SERVICES_MAX = 1000
/** Names of endpoints that have something variable in them never end. */
const ENDPOINTS_PER_SERVICE_MAX = 500
const ENDPOINTS_MAX = 20_000
/** More new endpoints of a service in one hour are told as one event. */
const TOLD_ONE_BY_ONE_MAX = 10
const NAMED_MAX = 3

/** Services and endpoints that came after the first hour. */
export function newcomers(sightings: Sighting[]): FoundEvent[] {
  const services = sightings.filter(({ operationName }) => operationName === '')
  const gridFirstMs = services.reduce((first, { firstMs }) => Math.min(first, firstMs), Number.POSITIVE_INFINITY)
  const firstMsOf = new Map(services.map(({ serviceName, firstMs }) => [serviceName, firstMs]))
  const isNew = ({ firstMs }: Sighting, sinceMs: number) => firstMs >= sinceMs + LEARNING_MS
  const newServices = services.filter((service) => isNew(service, gridFirstMs))
  const newEndpoints = sightings.filter(
    (each) => each.operationName !== '' && isNew(each, firstMsOf.get(each.serviceName) ?? each.firstMs),
  )
  return [...newServices.map(newService), ...hourly(newEndpoints).flatMap(newEndpointEvents)]
}

/** Whether any of these endpoints, which were seen at some time after their `firstMs`, may have to be remembered as first seen there. */
export function mayBeNew(known: Sighting[], seen: Sighting[]): boolean {
  const knownFirstMs = new Map(known.map((each) => [nameOf(each), each.firstMs]))
  const endpoints = known.filter(({ operationName }) => operationName !== '')
  const counts = new Map<string, { count: number; lastFirstMs: number }>()
  for (const { serviceName, firstMs } of endpoints) {
    const before = counts.get(serviceName) ?? { count: 0, lastFirstMs: 0 }
    counts.set(serviceName, { count: before.count + 1, lastFirstMs: Math.max(before.lastFirstMs, firstMs) })
  }
  return seen.some((each) => {
    const firstMs = knownFirstMs.get(nameOf(each))
    if (firstMs !== undefined) return firstMs > each.firstMs
    const others = counts.get(each.serviceName)
    const isFull =
      others !== undefined && others.count >= ENDPOINTS_PER_SERVICE_MAX && others.lastFirstMs < each.firstMs
    return !isFull && (endpoints.length < ENDPOINTS_MAX || endpoints.some((known) => known.firstMs > each.firstMs))
  })
}

/**
 * What to remember now, and what to forget: the earliest sighting of each, and of too many the earliest ones, so that it
 * does not matter in which order they are seen.
 */
export function rememberedSightings(known: Sighting[], seen: Sighting[]): { put: Sighting[]; forget: Sighting[] } {
  const all = new Map(known.map((each) => [nameOf(each), each]))
  const put = new Map<string, Sighting>()
  for (const each of seen) {
    const before = all.get(nameOf(each))
    const merged = before ? merge(before, each) : each
    if (merged === before) continue
    all.set(nameOf(each), merged)
    put.set(nameOf(each), merged)
  }
  const kept = new Set(withinLimits([...all.values()]))
  const wasKnown = new Set(known.map(nameOf))
  return {
    put: [...put.values()].filter((each) => kept.has(each)),
    forget: [...all.values()].filter((each) => !kept.has(each) && wasKnown.has(nameOf(each))),
  }
}

function merge(before: Sighting, seen: Sighting): Sighting {
  const firstMs = Math.min(before.firstMs, seen.firstMs)
  const lastMs = Math.max(before.lastMs, seen.lastMs)
  return firstMs === before.firstMs && lastMs === before.lastMs ? before : { ...before, firstMs, lastMs }
}

function withinLimits(sightings: Sighting[]): Sighting[] {
  const earliestFirst = sightings.sort((a, b) => a.firstMs - b.firstMs || (nameOf(a) < nameOf(b) ? -1 : 1))
  const services = earliestFirst.filter(({ operationName }) => operationName === '').slice(0, SERVICES_MAX)
  const counts = new Map(services.map(({ serviceName }) => [serviceName, 0]))
  const endpoints = earliestFirst.filter(({ serviceName, operationName }) => {
    const count = operationName === '' ? undefined : counts.get(serviceName)
    if (count === undefined || count >= ENDPOINTS_PER_SERVICE_MAX) return false
    counts.set(serviceName, count + 1)
    return true
  })
  return [...services, ...endpoints.slice(0, ENDPOINTS_MAX)]
}

function nameOf({ serviceName, operationName }: Sighting): string {
  return JSON.stringify([serviceName, operationName])
}

function newService({ serviceName, firstMs }: Sighting): FoundEvent {
  const event = eventOf({
    type: 'new_service',
    serviceName,
    minute: firstMs / MS_PER_MINUTE,
    description: `new service ${shown(serviceName)}`,
    details: {},
  })
  return { ...event, key: `new_service:${serviceName}` }
}

/** Of each service and hour, ascending. */
function hourly(endpoints: Sighting[]): Sighting[][] {
  const groups = new Map<string, Sighting[]>()
  const inOrder = endpoints.toSorted((a, b) => a.firstMs - b.firstMs || (a.operationName < b.operationName ? -1 : 1))
  for (const endpoint of inOrder) {
    const name = JSON.stringify([endpoint.serviceName, Math.floor(endpoint.firstMs / MS_PER_HOUR)])
    const group = groups.get(name) ?? []
    groups.set(name, group)
    group.push(endpoint)
  }
  return [...groups.values()]
}

function newEndpointEvents(endpoints: Sighting[]): FoundEvent[] {
  if (endpoints.length <= TOLD_ONE_BY_ONE_MAX) return endpoints.map(newEndpoint)
  const [{ serviceName, firstMs }] = endpoints as [Sighting]
  const names = endpoints.slice(0, NAMED_MAX).map(({ operationName }) => shown(operationName))
  return [
    eventOf({
      type: 'new_endpoint',
      serviceName,
      minute: firstMs / MS_PER_MINUTE,
      subject: 'many',
      description: `${endpoints.length} new endpoints, such as ${names.join(', ')}`,
      details: {},
    }),
  ]
}

function newEndpoint({ serviceName, operationName, firstMs }: Sighting): FoundEvent {
  const event = eventOf({
    type: 'new_endpoint',
    serviceName,
    minute: firstMs / MS_PER_MINUTE,
    description: `new endpoint ${shown(operationName)}`,
    details: { endpoint: shown(operationName) },
  })
  return { ...event, key: `new_endpoint:${serviceName}:${operationName}` }
}
