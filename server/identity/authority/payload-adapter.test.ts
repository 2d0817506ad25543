import type { Adapter } from 'oidc-provider'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ControlStoreWithAuthority } from '../../control/authority-store.ts'
import { openSqliteControlStore } from '../../control/sqlite/open-control-store.ts'
import { createPayloadAdapter } from './payload-adapter.ts'

let control: ControlStoreWithAuthority

beforeEach(async () => {
  control = await openSqliteControlStore(':memory:')
})
afterEach(() => control.close())

function adapterOf(model: string): Adapter {
  return createPayloadAdapter(model, { store: control.authority, alreadyUsed: () => new Error('already used') })
}

it('gives back what it was given, with the id that only its holder knows', async () => {
  const tokens = adapterOf('RefreshToken')
  await tokens.upsert('secret', { jti: 'secret', accountId: 'u-1', scope: 'openid' }, 60)
  expect(await tokens.find('secret')).toEqual({ jti: 'secret', accountId: 'u-1', scope: 'openid' })
  expect(await tokens.find('other')).toBeUndefined()
})

it('lets a token be used once, also by two who come at the same time', async () => {
  const tokens = adapterOf('RefreshToken')
  await tokens.upsert('secret', { jti: 'secret' }, 60)
  const outcomes = await Promise.allSettled([tokens.consume('secret'), tokens.consume('secret')])
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect(await tokens.find('secret')).toMatchObject({ consumed: expect.any(Number) })
})

it('finds a session by its uid, without the id that is its cookie', async () => {
  const sessions = adapterOf('Session')
  await sessions.upsert('cookie', { jti: 'cookie', uid: 'uid', accountId: 'u-1' }, 60)
  expect(await sessions.findByUid('uid')).toEqual({ uid: 'uid', accountId: 'u-1' })
})

it('withdraws the tokens of a grant, and leaves the session and other grants', async () => {
  const tokens = adapterOf('RefreshToken')
  await tokens.upsert('a', { grantId: 'g1' }, 60)
  await tokens.upsert('b', { grantId: 'g2' }, 60)
  await adapterOf('Interaction').upsert('i', { grantId: 'g1' }, 60)
  await tokens.revokeByGrantId('g1')
  expect(await tokens.find('a')).toBeUndefined()
  expect(await tokens.find('b')).toBeDefined()
  expect(await adapterOf('Interaction').find('i')).toBeDefined()
})
