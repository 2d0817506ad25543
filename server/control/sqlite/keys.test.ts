import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ControlStoreWithAuthority } from '../authority-store.ts'
import { AlreadyExists, type NewApiKey } from '../control-store.ts'
import { RecordRefused } from '../record-refused.ts'
import { openSqliteControlStore } from './open-control-store.ts'

const NOW_MS = 1_800_000_000_000

let control: ControlStoreWithAuthority
let gridId: string

beforeEach(async () => {
  control = await openSqliteControlStore(':memory:')
  gridId = (await control.grids.create({ name: 'Shop' })).id
})
afterEach(() => control.close())

function newKey(overrides: Partial<NewApiKey> = {}): NewApiKey {
  return { gridId, name: 'ci', role: 'Member', scopes: ['read', 'ingest'], expiresAtMs: null, ...overrides }
}

it('opens with its secret, and lists without it', async () => {
  const { key, secret } = await control.keys.create(newKey())
  expect(secret).toMatch(/^flk_[A-Za-z0-9_-]{43}$/)
  expect(key).toMatchObject({ gridId, name: 'ci', prefix: secret.slice(0, 12), role: 'Member', revokedAtMs: null })
  expect(await control.keys.findBySecret(secret, NOW_MS)).toEqual(key)
  expect(await control.keys.findBySecret(secret, NOW_MS)).toEqual(key)
  expect(await control.keys.list(gridId)).toEqual([key])
  expect(JSON.stringify(await control.keys.list(gridId))).not.toContain(secret)
})

it('does not open with anything else', async () => {
  const { key, secret } = await control.keys.create(newKey())
  for (const wrong of ['', secret.slice(0, -1), `${secret}x`, secret.toUpperCase(), key.prefix, `${secret}\0`]) {
    expect(await control.keys.findBySecret(wrong, NOW_MS)).toBeUndefined()
  }
})

it('shows four characters of a secret that a person chose', async () => {
  const { key, secret } = await control.keys.create(newKey({ secret: 'correct-horse-battery' }))
  expect(secret).toBe('correct-horse-battery')
  expect(key.prefix).toBe('corr')
  expect(await control.keys.findBySecret('correct-horse-battery', NOW_MS)).toEqual(key)
})

it('refuses a chosen secret that is short, cannot be sent in a header, or is in use', async () => {
  await expect(control.keys.create(newKey({ secret: 'fifteen-letters' }))).rejects.toThrow(RecordRefused)
  await expect(control.keys.create(newKey({ secret: 'schlüssel-für-alles' }))).rejects.toThrow(RecordRefused)
  await control.keys.create(newKey({ secret: 'correct-horse-battery' }))
  await expect(control.keys.create(newKey({ secret: 'correct-horse-battery' }))).rejects.toThrow(AlreadyExists)
})

it('refuses a scope that does not exist', async () => {
  await expect(control.keys.create(newKey({ scopes: ['read', 'root' as 'read'] }))).rejects.toThrow('"root"')
})

it('refuses a key of a Grid that does not exist', async () => {
  const gone = '00000000-0000-4000-8000-000000000000'
  await expect(control.keys.create(newKey({ gridId: gone }))).rejects.toThrow('There is no such Grid.')
})

it('stops opening at the moment it expires, also once it has been used', async () => {
  const { secret } = await control.keys.create(newKey({ expiresAtMs: NOW_MS }))
  expect(await control.keys.findBySecret(secret, NOW_MS - 1)).toBeDefined()
  expect(await control.keys.findBySecret(secret, NOW_MS)).toBeUndefined()
})

it('stops opening at once when it is revoked, also once it has been used', async () => {
  const { key, secret } = await control.keys.create(newKey())
  expect(await control.keys.findBySecret(secret, NOW_MS)).toBeDefined()
  expect(await control.keys.revoke(gridId, key.id, NOW_MS)).toBe(true)
  expect(await control.keys.findBySecret(secret, NOW_MS)).toBeUndefined()
  expect(await control.keys.revoke(gridId, key.id, NOW_MS + 5)).toBe(true)
  expect(await control.keys.list(gridId)).toEqual([{ ...key, revokedAtMs: NOW_MS }])
})

it('does not keep a key that is revoked while it is being looked up', async () => {
  const { key, secret } = await control.keys.create(newKey())
  const lookingUp = control.keys.findBySecret(secret, NOW_MS)
  await Promise.all([lookingUp, control.keys.revoke(gridId, key.id, NOW_MS)])
  expect(await control.keys.findBySecret(secret, NOW_MS)).toBeUndefined()
})

it('changes its secret, and the old one stops working at once', async () => {
  const { key, secret } = await control.keys.create(newKey())
  await control.keys.findBySecret(secret, NOW_MS)
  const rotated = await control.keys.rotate(gridId, key.id)
  expect(rotated?.key).toEqual({ ...key, prefix: rotated?.secret.slice(0, 12) })
  expect(await control.keys.findBySecret(secret, NOW_MS)).toBeUndefined()
  expect(await control.keys.findBySecret(rotated?.secret ?? '', NOW_MS)).toEqual(rotated?.key)
})

it('does not come back to life by rotation', async () => {
  const { key } = await control.keys.create(newKey())
  await control.keys.revoke(gridId, key.id, NOW_MS)
  expect(await control.keys.rotate(gridId, key.id)).toBeUndefined()
})

it('is out of reach of another Grid', async () => {
  const other = (await control.grids.create({ name: 'Other' })).id
  const { key, secret } = await control.keys.create(newKey())
  expect(await control.keys.revoke(other, key.id, NOW_MS)).toBe(false)
  expect(await control.keys.rotate(other, key.id)).toBeUndefined()
  expect(await control.keys.list(other)).toEqual([])
  expect(await control.keys.findBySecret(secret, NOW_MS)).toEqual(key)
})

it('is not changed by a caller who changes what was found', async () => {
  const { key, secret } = await control.keys.create(newKey({ scopes: ['read'] }))
  const found = await control.keys.findBySecret(secret, NOW_MS)
  found?.scopes.push('manage')
  expect(await control.keys.findBySecret(secret, NOW_MS)).toEqual(key)
})
