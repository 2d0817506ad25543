import { exclusiveMs } from './exclusive-time.ts'
import { type Place, placeKey, placeOf } from './place.ts'
import { awaitedChildren, type SpanNode } from './span-forest.ts'

export interface PlaceTime {
  place: Place
  ms: number
  /** How many spans it was. */
  count: number
  /** The span with the most of it. */
  longest: SpanNode
  longestMs: number
}

export type TimeByPlace = Map<string, PlaceTime>

/** Where the time of a request went: every awaited span below it, by its exclusive time. */
function timeByPlace(request: SpanNode, services: ReadonlySet<string>): TimeByPlace {
  const times: TimeByPlace = new Map()
  const pending = [request]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const place = placeOf(node, services)
    const ms = exclusiveMs(node)
    const key = placeKey(place)
    const known = times.get(key)
    if (known === undefined) times.set(key, { place, ms, count: 1, longest: node, longestMs: ms })
    else {
      known.ms += ms
      known.count++
      if (ms > known.longestMs) Object.assign(known, { longest: node, longestMs: ms })
    }
    pending.push(...awaitedChildren(node))
  }
  return times
}

/** What is usual for a place in a request: means over calm requests of the same operation. */
export interface UsualTime {
  ms: number
  count: number
}

export function usualTimes(requests: SpanNode[], services: ReadonlySet<string>): Map<string, UsualTime> {
  const usual = new Map<string, UsualTime>()
  for (const request of requests) {
    for (const [key, { ms, count }] of timeByPlace(request, services)) {
      const sums = usual.get(key) ?? { ms: 0, count: 0 }
      usual.set(key, {
        ms: sums.ms + ms / requests.length,
        count: sums.count + count / requests.length,
      })
    }
  }
  return usual
}

export interface AddedTime extends PlaceTime {
  addedMs: number
}

/** The place that took the most longer than usual. Undefined where nothing took longer. */
export function mostAdded(request: SpanNode, usual: Map<string, UsualTime>, services: ReadonlySet<string>) {
  let most: AddedTime | undefined
  for (const [key, time] of timeByPlace(request, services)) {
    const addedMs = time.ms - (usual.get(key)?.ms ?? 0)
    if (addedMs > (most?.addedMs ?? 0)) most = { ...time, addedMs }
  }
  return most
}

/** How long all places of a request take together in calm ones. */
export function usualMsOf(request: SpanNode, usual: Map<string, UsualTime>, services: ReadonlySet<string>): number {
  return [...timeByPlace(request, services).keys()].reduce((sum, key) => sum + (usual.get(key)?.ms ?? 0), 0)
}
