import { describe, expect, it } from 'vitest'
import { SeededRandom } from '../../storage/conformance/seeded-random.ts'
import { mayBeNew, newcomers, rememberedSightings, type Sighting } from './sightings.ts'

const BASE_MS = Date.UTC(2026, 2, 1, 10)
const MINUTE_MS = 60_000

/** A service, or with an operation its endpoint, first seen so many minutes after 10:00. */
const seen = (serviceName: string, minute: number, operationName = ''): Sighting => ({
  serviceName,
  operationName,
  firstMs: BASE_MS + minute * MINUTE_MS,
  lastMs: BASE_MS + minute * MINUTE_MS,
})

const lines = (sightings: Sighting[]) =>
  newcomers(sightings).map(({ atMs, type, description }) => `+${(atMs - BASE_MS) / MINUTE_MS} ${type}: ${description}`)

describe('what is new', () => {
  it('is nothing in the first hour of the Grid', () => {
    expect(lines([seen('a', 0), seen('b', 59), seen('a', 59, 'GET /')])).toEqual([])
  })

  it('is a service or an endpoint after it', () => {
    expect(lines([seen('a', 0), seen('b', 60), seen('a', 60, 'GET /')])).toEqual([
      '+60 new_service: new service b',
      '+60 new_endpoint: new endpoint GET /',
    ])
  })

  it('is a new service with what it does in its first hour, as one', () => {
    expect(lines([seen('a', 0), seen('b', 100), seen('b', 100, 'GET /'), seen('b', 130, 'PUT /')])).toEqual([
      '+100 new_service: new service b',
    ])
    expect(lines([seen('a', 0), seen('b', 100), seen('b', 160, 'PUT /')])).toHaveLength(2)
  })

  it('is told one by one up to ten endpoints in an hour, and as one event beyond', () => {
    const endpoints = (count: number) =>
      Array.from({ length: count }, (_, n) => seen('a', 120 + n, `GET /${String(n).padStart(2, '0')}`))
    expect(lines([seen('a', 0), ...endpoints(10)])).toHaveLength(10)
    expect(lines([seen('a', 0), ...endpoints(11)])).toEqual([
      '+120 new_endpoint: 11 new endpoints, such as GET /00, GET /01, GET /02',
    ])
  })
})

describe('what is remembered', () => {
  it('is the earliest sighting', () => {
    expect(rememberedSightings([], [seen('a', 5)])).toEqual({ put: [seen('a', 5)], forget: [] })
    const merged = { ...seen('a', 3), lastMs: BASE_MS + 5 * MINUTE_MS }
    expect(rememberedSightings([seen('a', 5)], [seen('a', 3)])).toEqual({ put: [merged], forget: [] })
    expect(rememberedSightings([merged], [seen('a', 4)])).toEqual({ put: [], forget: [] })
  })

  it('is at most 500 endpoints of a service: the earliest, in whatever order they are seen', () => {
    const random = new SeededRandom(7)
    const endpoints = Array.from({ length: 700 }, (_, n) => seen('a', 60 + n, `GET /${n}`))
    let known = [seen('a', 0)]
    for (const batch of [0, 1, 2, 3, 4, 5, 6]) {
      const part = random.shuffled(endpoints).slice(batch * 100, batch * 100 + 300)
      known = remember(known, part)
      expect(known.length).toBeLessThanOrEqual(501)
    }
    known = remember(known, random.shuffled(endpoints))
    expect(new Set(known.slice(1).map(({ operationName }) => operationName))).toEqual(
      new Set(endpoints.slice(0, 500).map(({ operationName }) => operationName)),
    )
  })

  it('is at most 1000 services', () => {
    const services = Array.from({ length: 1500 }, (_, n) => seen(`service ${n}`, n))
    expect(rememberedSightings([], services).put).toHaveLength(1000)
  })

  it('may change by what is unknown, or known from a later time', () => {
    const known = [seen('a', 0), seen('a', 10, 'GET /')]
    expect(mayBeNew(known, [seen('a', 20, 'GET /')])).toBe(false)
    expect(mayBeNew(known, [seen('a', 5, 'GET /')])).toBe(true)
    expect(mayBeNew(known, [seen('a', 20, 'PUT /')])).toBe(true)
    const full = Array.from({ length: 500 }, (_, n) => seen('a', n, `GET /${n}`))
    expect(mayBeNew(full, [seen('a', 600, 'GET /x')])).toBe(false)
    expect(mayBeNew(full, [seen('a', 100, 'GET /x')])).toBe(true)
  })
})

function remember(known: Sighting[], found: Sighting[]): Sighting[] {
  const { put, forget } = rememberedSightings(known, found)
  const all = new Map(known.map((each) => [each.operationName, each]))
  for (const each of put) all.set(each.operationName, each)
  for (const each of forget) all.delete(each.operationName)
  return [...all.values()]
}
