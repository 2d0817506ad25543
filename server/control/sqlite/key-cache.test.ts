import { expect, it } from 'vitest'
import type { ApiKey } from '../control-store.ts'
import { KeyCache } from './key-cache.ts'

function keyNamed(name: string): ApiKey {
  const times = { createdAtMs: 0, expiresAtMs: null, revokedAtMs: null }
  return { id: name, gridId: 'g', name, prefix: 'flk_', role: 'Guest', scopes: [], ...times }
}

it('holds ten thousand keys and lets go of the one unused for longest', async () => {
  const cache = new KeyCache()
  for (let i = 0; i < 10_000; i++) await cache.load(`hash-${i}`, async () => keyNamed(`key-${i}`))
  cache.find('hash-0')
  await cache.load('one-more', async () => keyNamed('one-more'))
  expect(cache.find('hash-0')?.name).toBe('key-0')
  expect(cache.find('hash-1')).toBeUndefined()
  expect(cache.find('one-more')?.name).toBe('one-more')
})

it('does not keep what was read before it was emptied', async () => {
  const cache = new KeyCache()
  const read = await cache.load('hash', async () => {
    cache.clear()
    return keyNamed('stale')
  })
  expect(read?.name).toBe('stale')
  expect(cache.find('hash')).toBeUndefined()
})

it('does not keep that there is no such key', async () => {
  const cache = new KeyCache()
  expect(await cache.load('hash', async () => undefined)).toBeUndefined()
  expect((await cache.load('hash', async () => keyNamed('new')))?.name).toBe('new')
})
