import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ControlStore } from '../control/control-store.ts'
import { openSqliteControlStore } from '../control/sqlite/open-control-store.ts'
import type { Caller } from './caller.ts'
import { roleOn } from './role-on.ts'

const NO_GRID = '00000000-0000-4000-8000-000000000000'

let control: ControlStore
let gridId: string
let otherId: string

beforeEach(async () => {
  control = await openSqliteControlStore(':memory:')
  gridId = (await control.grids.create({ name: 'Shop' })).id
  otherId = (await control.grids.create({ name: 'Other' })).id
})
afterEach(() => control.close())

function user(overrides: { admin?: boolean; subjects?: string[] } = {}): Caller {
  return { kind: 'user', id: 'u-1', subjects: ['u-1', 'ann@example.com'], admin: false, ...overrides }
}

it('gives a key its role on its own Grid only', async () => {
  const key: Caller = { kind: 'key', id: 'k', gridId, role: 'User', scopes: ['read'] }
  expect(await roleOn(control, key, gridId)).toBe('User')
  expect(await roleOn(control, key, gridId.toUpperCase())).toBe('User')
  expect(await roleOn(control, key, otherId)).toBeUndefined()
})

it('gives a person the strongest role of their names', async () => {
  await control.members.put({ gridId, subject: 'u-1', role: 'Guest' })
  await control.members.put({ gridId, subject: 'ann@example.com', role: 'Member' })
  expect(await roleOn(control, user(), gridId)).toBe('Member')
  expect(await roleOn(control, user({ subjects: ['u-1'] }), gridId)).toBe('Guest')
  expect(await roleOn(control, user(), otherId)).toBeUndefined()
  expect(await roleOn(control, user(), NO_GRID)).toBeUndefined()
})

it('gives a client the role it was given, until it is taken away', async () => {
  const bot: Caller = { kind: 'client', id: 'bot', subjects: ['bot'], admin: false }
  await control.members.put({ gridId, subject: 'bot', role: 'Owner' })
  expect(await roleOn(control, bot, gridId)).toBe('Owner')
  await control.members.remove(gridId, 'bot')
  expect(await roleOn(control, bot, gridId)).toBeUndefined()
})

it('makes an administrator the owner of every Grid that exists', async () => {
  expect(await roleOn(control, user({ admin: true }), gridId)).toBe('Owner')
  expect(await roleOn(control, user({ admin: true }), otherId)).toBe('Owner')
  expect(await roleOn(control, user({ admin: true }), NO_GRID)).toBeUndefined()
})
