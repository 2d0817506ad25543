import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ControlStoreWithAuthority } from '../authority-store.ts'
import { AlreadyExists } from '../control-store.ts'
import { RecordRefused } from '../record-refused.ts'
import { openSqliteControlStore } from './open-control-store.ts'

let control: ControlStoreWithAuthority

beforeEach(async () => {
  control = await openSqliteControlStore(':memory:')
})
afterEach(() => control.close())

it('gives a new Grid an id and settings that work', async () => {
  const grid = await control.grids.create({ name: 'Shop' })
  expect(grid.id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  expect(grid).toMatchObject({
    name: 'Shop',
    plan: 'standard',
    subscriptionState: 'active',
    rawRetentionDays: 7,
    aggregateRetentionDays: 90,
    rateLimitCaller: null,
    rateLimitGrid: null,
    ingestQuota: null,
    apdex: { defaultMs: 500, byService: {} },
  })
  expect(await control.grids.find(grid.id)).toEqual(grid)
})

it('takes an id that was chosen, in any letter case, once', async () => {
  const id = '0F9D2C7E-8A64-4E1B-9C55-0A1B2C3D4E5F'
  const grid = await control.grids.create({ id, name: 'Shop' })
  expect(grid.id).toBe(id.toLowerCase())
  expect(await control.grids.find(id)).toEqual(grid)
  await expect(control.grids.create({ id: id.toLowerCase(), name: 'Other' })).rejects.toThrow(AlreadyExists)
})

it('changes only what is mentioned, and takes null for a limit that is lifted', async () => {
  const { id } = await control.grids.create({ name: 'Shop' })
  const apdex = { defaultMs: 300, byService: { 'pay/ments': 900 } }
  const changed = await control.grids.update(id, { rateLimitGrid: 50, apdex, subscriptionState: 'suspended' })
  expect(changed).toMatchObject({ name: 'Shop', rateLimitGrid: 50, apdex, subscriptionState: 'suspended' })
  const lifted = await control.grids.update(id, { rateLimitGrid: null })
  expect(lifted).toEqual({ ...changed, rateLimitGrid: null })
  expect(await control.grids.update(id, {})).toEqual(lifted)
  expect(await control.grids.find(id)).toEqual(lifted)
})

it('has nothing to change where there is no such Grid', async () => {
  expect(await control.grids.update('00000000-0000-4000-8000-000000000000', { name: 'x' })).toBeUndefined()
  expect(await control.grids.find('00000000-0000-4000-8000-000000000000')).toBeUndefined()
})

it('removes a Grid with everything of it but its audit, and never gives its id again', async () => {
  const { id } = await control.grids.create({ name: 'Shop' })
  const other = await control.grids.create({ name: 'Other' })
  const scopes = ['read' as const]
  const { secret } = await control.keys.create({ gridId: id, name: 'k', role: 'Owner', scopes, expiresAtMs: null })
  expect(await control.keys.findBySecret(secret, 0)).toBeDefined()
  await control.members.put({ gridId: id, subject: 'ada', role: 'User' })
  await control.audit.record({ atMs: 1, gridId: id, caller: 'user:ada', action: 'x', target: {}, change: '' })
  expect(control.grids.isRemoved(id)).toBe(false)
  expect(await control.grids.remove(id.toUpperCase(), 5)).toBe(true)
  expect(await control.grids.remove(id, 6)).toBe(false)
  expect([control.grids.isRemoved(id), control.grids.isRemoved(other.id)]).toEqual([true, false])
  expect(await control.grids.list()).toEqual([other])
  expect(await control.keys.findBySecret(secret, 0)).toBeUndefined()
  expect(await control.members.listGridsOf(['ada'])).toEqual([])
  expect(await control.alerts.rules.list(id)).toEqual([])
  expect(await control.charts.list(id, { offset: 0, limit: 10 })).toMatchObject({ totalCount: 0 })
  expect((await control.audit.list({ gridId: id, offset: 0, limit: 10 })).totalCount).toBe(1)
  await expect(control.grids.create({ id, name: 'Shop' })).rejects.toThrow(AlreadyExists)
  expect((await control.grids.create({ name: 'Shop' })).id).not.toBe(id)
})

it('knows whose telemetry is still to be removed', async () => {
  const ids = [await control.grids.create({ name: 'a' }), await control.grids.create({ name: 'b' })].map(({ id }) => id)
  for (const [i, id] of ids.entries()) await control.grids.remove(id, i)
  await control.grids.noteTelemetryRemoved(ids[0] as string)
  expect(await control.grids.removed()).toEqual(ids.map((id, i) => ({ id, isTelemetryRemoved: i === 0 })))
})

it('lists every Grid', async () => {
  const names = ['a', 'b', 'c']
  for (const name of names) await control.grids.create({ name })
  expect((await control.grids.list()).map(({ name }) => name).sort()).toEqual(names)
})

it.each([
  ['an id that is no UUID', { id: 'shop', name: 'Shop' }],
  ['no name', { name: '' }],
  ['a name of 201 characters', { name: 'x'.repeat(201) }],
  ['a name with a NUL', { name: 'Shop\0' }],
  ['a name with half a character', { name: 'Shop\ud83d' }],
])('refuses %s', async (_what, grid) => {
  await expect(control.grids.create(grid)).rejects.toThrow(RecordRefused)
  expect(await control.grids.list()).toEqual([])
})

it.each([
  ['no retention', { rawRetentionDays: 0 }],
  ['a retention that is no number', { rawRetentionDays: Number.NaN }],
  ['a part of a day', { aggregateRetentionDays: 1.5 }],
  ['a limit below one', { rateLimitCaller: -1 }],
  ['a state that does not exist', { subscriptionState: 'gone' as 'active' }],
])('refuses %s and stays as it was', async (_what, settings) => {
  const grid = await control.grids.create({ name: 'Shop' })
  await expect(control.grids.update(grid.id, settings)).rejects.toThrow(RecordRefused)
  expect(await control.grids.find(grid.id)).toEqual(grid)
})
