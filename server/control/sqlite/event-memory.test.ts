import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ControlStoreWithAuthority } from '../authority-store.ts'
import { openSqliteControlStore } from './open-control-store.ts'

let control: ControlStoreWithAuthority
let gridId: string

beforeEach(async () => {
  control = await openSqliteControlStore(':memory:')
  gridId = (await control.grids.create({ name: 'Shop' })).id
})
afterEach(() => control.close())

it('remembers which hours were seen in which version', async () => {
  const memory = control.eventMemory
  await memory.putHours(gridId, [
    { hourStartMs: 2000, version: 'b' },
    { hourStartMs: 1000, version: 'a' },
  ])
  await memory.putHours(gridId, [{ hourStartMs: 2000, version: 'c' }])
  const seen = [
    { hourStartMs: 1000, version: 'a' },
    { hourStartMs: 2000, version: 'c' },
  ]
  expect(await memory.hours(gridId)).toEqual(seen)
  await memory.forgetHours(gridId, [1000])
  expect(await memory.hours(gridId)).toEqual(seen.slice(1))
})

it('finds the nearest state before an hour', async () => {
  const memory = control.eventMemory
  await memory.putHours(gridId, [
    { hourStartMs: 1000, version: 'a', state: 'first' },
    { hourStartMs: 2000, version: 'a', state: 'second' },
    { hourStartMs: 3000, version: 'a' },
  ])
  expect(await memory.stateBefore(gridId, 1000)).toBeUndefined()
  expect(await memory.stateBefore(gridId, 4000)).toEqual({ hourStartMs: 2000, state: 'second' })
  expect([await memory.state(gridId, 2000), await memory.state(gridId, 3000)]).toEqual(['second', undefined])
  await memory.dropStates(gridId, [2000])
  expect(await memory.stateBefore(gridId, 4000)).toEqual({ hourStartMs: 1000, state: 'first' })
  expect(await memory.hours(gridId)).toHaveLength(3)
})

it('remembers what was seen, and forgets it on request', async () => {
  const memory = control.eventMemory
  const service = { serviceName: 'cart', operationName: '', firstMs: 5, lastMs: 9 }
  const endpoint = { serviceName: 'cart', operationName: 'GET /', firstMs: 6, lastMs: 9 }
  await memory.putSightings(gridId, [endpoint, { ...service, firstMs: 7 }])
  await memory.putSightings(gridId, [service])
  expect(await memory.sightings(gridId)).toEqual([service, endpoint])
  await memory.forgetSightings(gridId, [service])
  expect(await memory.sightings(gridId)).toEqual([endpoint])
})

it('keeps Grids apart', async () => {
  const other = (await control.grids.create({ name: 'Other' })).id
  await control.eventMemory.putHours(gridId, [{ hourStartMs: 1000, version: 'a', state: 'x' }])
  await control.eventMemory.putSightings(gridId, [{ serviceName: 'cart', operationName: '', firstMs: 1, lastMs: 1 }])
  expect(await control.eventMemory.hours(other)).toEqual([])
  expect(await control.eventMemory.stateBefore(other, 9000)).toBeUndefined()
  expect(await control.eventMemory.sightings(other)).toEqual([])
})
