import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ControlStoreWithAuthority, OidcPayload } from '../authority-store.ts'
import { openDatabase } from './database.ts'
import { createOidcPayloads } from './oidc-payloads.ts'
import { openSqliteControlStore } from './open-control-store.ts'

const NOW_MS = 1_800_000_000_000

let control: ControlStoreWithAuthority

beforeEach(async () => {
  control = await openSqliteControlStore(':memory:')
})
afterEach(() => control.close())

function record(overrides: Partial<OidcPayload> = {}): OidcPayload {
  const owners = { uid: null, grantId: null, accountId: null }
  return { model: 'RefreshToken', id: 'r1', payload: { a: 1 }, expiresAtMs: NOW_MS + 1000, ...owners, ...overrides }
}

it('finds what was put until it expires', async () => {
  const { payloads } = control.authority
  await payloads.put(record())
  expect(await payloads.find('RefreshToken', 'r1', NOW_MS + 999)).toEqual({ payload: { a: 1 }, consumedAtMs: null })
  expect(await payloads.find('RefreshToken', 'r1', NOW_MS + 1000)).toBeUndefined()
  expect(await payloads.find('Session', 'r1', NOW_MS)).toBeUndefined()
  await payloads.put(record({ payload: { a: 2 }, expiresAtMs: NOW_MS + 5000 }))
  expect(await payloads.find('RefreshToken', 'r1', NOW_MS + 1000)).toMatchObject({ payload: { a: 2 } })
})

it('lets one of two consume it', async () => {
  const { payloads } = control.authority
  await payloads.put(record())
  const both = await Promise.all([1, 2].map((ms) => payloads.consume('RefreshToken', 'r1', NOW_MS + ms)))
  expect(both.toSorted()).toEqual([false, true])
  expect((await payloads.find('RefreshToken', 'r1', NOW_MS))?.consumedAtMs).toBe(NOW_MS + 1)
})

it('finds a session by its uid, and removes by id and by grant', async () => {
  const { payloads } = control.authority
  await payloads.put(record({ model: 'Session', id: 's1', uid: 'u1' }))
  await payloads.put(record({ grantId: 'g1' }))
  await payloads.put(record({ id: 'r2', grantId: 'g2' }))
  expect(await payloads.findByUid('Session', 'u1', NOW_MS)).toBeDefined()
  await payloads.remove('Session', 's1')
  expect(await payloads.findByUid('Session', 'u1', NOW_MS)).toBeUndefined()
  await payloads.removeOfGrant('g1')
  expect(await payloads.find('RefreshToken', 'r1', NOW_MS)).toBeUndefined()
  expect(await payloads.find('RefreshToken', 'r2', NOW_MS)).toBeDefined()
})

it('signs a user out everywhere when the password changes', async () => {
  const { payloads } = control.authority
  const { id } = await control.users.create({ email: 'a@b.c', name: 'A', password: 'ten letters', admin: false })
  await payloads.put(record({ accountId: id }))
  await control.users.setPassword(id, 'another password')
  expect(await payloads.find('RefreshToken', 'r1', NOW_MS)).toBeUndefined()
})

it('purges what has expired and nothing else', async () => {
  const { payloads } = control.authority
  for (let i = 0; i < 5; i++) await payloads.put(record({ id: `old-${i}`, expiresAtMs: NOW_MS - i }))
  await payloads.put(record())
  expect(await payloads.purge(NOW_MS)).toBe(5)
  expect(await payloads.purge(NOW_MS)).toBe(0)
  expect(await payloads.find('RefreshToken', 'r1', NOW_MS)).toBeDefined()
})

it('holds a bounded number of each model, and lets go of those that end soonest', async () => {
  const db = await openDatabase(':memory:')
  const payloads = createOidcPayloads(db, { rowsPerModelMax: 5, putsPerTrim: 10 })
  await payloads.put(record({ model: 'Session', id: 's1' }))
  for (let i = 1; i <= 20; i++) await payloads.put(record({ id: `r${i}`, expiresAtMs: NOW_MS + i }))
  const found = await Promise.all(
    Array.from({ length: 20 }, (_, i) => payloads.find('RefreshToken', `r${i + 1}`, NOW_MS)),
  )
  expect(found.map((payload) => payload !== undefined)).toEqual(Array.from({ length: 20 }, (_, i) => i >= 15))
  expect(await payloads.find('Session', 's1', NOW_MS)).toBeDefined()
  await db.destroy()
})

it('changes a setting atomically', async () => {
  const { settings } = control.authority
  const append = (mark: string) => settings.update('log', (current) => `${current ?? ''}${mark}`)
  await Promise.all(['a', 'b', 'c'].map(append))
  expect([...(await append('d'))].toSorted()).toEqual(['a', 'b', 'c', 'd'])
})
