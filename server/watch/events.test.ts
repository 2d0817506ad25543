import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ControlStoreWithAuthority } from '../control/authority-store.ts'
import { openSqliteControlStore } from '../control/sqlite/open-control-store.ts'
import { spanColumnsOf } from '../storage/conformance/span-builder.ts'
import { atNs, BASE_NS, MS_PER_HOUR } from '../storage/conformance/test-time.ts'
import { createMemoryStore } from '../storage/memory/memory-store.ts'
import { watchEvents } from './events.ts'
import { keepEventsSmall } from './events-housekeeping.ts'

const BASE_MS = Number(BASE_NS / 1_000_000n)
const MS_PER_DAY = 24 * MS_PER_HOUR

let control: ControlStoreWithAuthority

beforeEach(async () => {
  control = await openSqliteControlStore(':memory:')
})
afterEach(() => control.close())

describe('the watch over events', () => {
  it('looks at every Grid at once, and stops when it has', async () => {
    const store = createMemoryStore()
    const grids = [await control.grids.create({ name: 'One' }), await control.grids.create({ name: 'Two' })]
    for (const { id } of grids) {
      const spans = [1, 2].map((version) => ({
        id: String(version),
        startNs: atNs(version * 60_000),
        resource: { 'service.version': String(version) },
      }))
      await store.writeSpans(id, spanColumnsOf(spans))
    }
    const errors: unknown[] = []
    const clock = () => BASE_MS + MS_PER_HOUR
    const stop = watchEvents({ telemetry: store, control, clock, report: (error) => errors.push(error) })
    const found = (id: string) => control.events.list(id, { startMs: 0, endMs: clock() })
    while ((await found(grids[1]?.id ?? '')).length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    await stop()
    expect(errors).toEqual([])
    for (const { id } of grids) expect(await found(id)).toMatchObject([{ type: 'deployment', atMs: BASE_MS + 120_000 }])
  })

  it('goes on with the next Grid where one cannot be looked at', async () => {
    const store = createMemoryStore()
    const bad = await control.grids.create({ name: 'Bad' })
    await control.grids.create({ name: 'Good' })
    const asked: string[] = []
    const telemetry = {
      reader: (id: string) => ({
        ...store.reader(id),
        hourVersions: async () => {
          asked.push(id)
          if (id === bad.id) throw new Error('broken')
          return []
        },
      }),
    }
    const errors: unknown[] = []
    const stop = watchEvents({ telemetry, control, clock: () => BASE_MS, report: (error) => errors.push(error) })
    while (asked.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
    await stop()
    expect(errors).toEqual([new Error('broken')])
  })
})

describe('housekeeping', () => {
  it('forgets what is older than the Grid keeps, and states that are not needed every hour', async () => {
    const grid = await control.grids.create({ name: 'Shop' })
    const { id } = grid
    const nowMs = Date.UTC(2026, 5, 1)
    const hours = [95, 94, 93, 10, 9.5, 1].map((days) => nowMs - days * MS_PER_DAY)
    await control.eventMemory.putHours(
      id,
      hours.map((hourStartMs) => ({ hourStartMs, version: 'v', state: String(hourStartMs) })),
    )
    const sighting = { serviceName: 'cart', operationName: '', firstMs: 0 }
    await control.eventMemory.putSightings(id, [
      { ...sighting, lastMs: nowMs - 91 * MS_PER_DAY },
      { ...sighting, serviceName: 'shop', lastMs: nowMs - 89 * MS_PER_DAY },
    ])
    await keepEventsSmall(grid, control, nowMs)
    expect((await control.eventMemory.hours(id)).map(({ hourStartMs }) => hourStartMs)).toEqual(hours.slice(2))
    const states = await Promise.all(hours.map((hour) => control.eventMemory.state(id, hour)))
    expect(states.map((state) => state !== undefined)).toEqual([false, false, true, true, false, true])
    expect((await control.eventMemory.sightings(id)).map(({ serviceName }) => serviceName)).toEqual(['shop'])
  })
})
