import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { AuthenticationFailed } from './caller.ts'
import { makeKey, NOW_S, type ProviderServer, type SigningKey, serveProvider, sign } from './conformance/token-maker.ts'
import { createExternalBearer, externalCallerOf } from './external-bearer.ts'
import { IdentityProviderUnavailable } from './identity-provider-unavailable.ts'

const AUDIENCE = 'faultline'

let key: SigningKey
let provider: ProviderServer

beforeAll(async () => {
  key = await makeKey('ES256', 'k1')
})
beforeEach(async () => {
  provider = await serveProvider([key.jwk])
})
afterEach(() => provider.close())

function claims(more: Record<string, unknown> = {}): Record<string, unknown> {
  return { iss: provider.issuer, aud: AUDIENCE, sub: 'u-1', azp: 'web', exp: NOW_S + 600, ...more }
}

const bearerOf = (issuer: string) => createExternalBearer({ issuer, audience: AUDIENCE })

it('asks the provider for its keys when the first token comes, and once', async () => {
  const bearer = bearerOf(provider.issuer)
  expect(provider.requests).toEqual([])
  const token = await sign(key, claims(), { typ: 'JWT' })
  for (let i = 0; i < 3; i++) {
    expect(await bearer(token)).toEqual({ kind: 'user', id: 'u-1', subjects: ['u-1'], admin: false })
  }
  expect(provider.requests).toEqual(['/realms/shop/.well-known/openid-configuration', '/realms/shop/keys'])
})

it('refuses an unknown key without asking the provider again and again', async () => {
  const bearer = bearerOf(provider.issuer)
  await bearer(await sign(key, claims()))
  const forger = await makeKey('ES256', 'k2')
  for (let i = 0; i < 5; i++) {
    await expect(bearer(await sign(forger, claims()))).rejects.toThrow(AuthenticationFailed)
  }
  expect(provider.requests).toHaveLength(2)
})

it.each([
  ['of another issuer', { iss: 'https://evil.example' }],
  ['for another audience', { aud: 'someone-else' }],
  ['that has expired', { exp: NOW_S - 60 }],
])('refuses a token %s', async (_what, wrong) => {
  await expect(bearerOf(provider.issuer)(await sign(key, claims(wrong)))).rejects.toThrow(AuthenticationFailed)
})

it.each(['logout+jwt', 'dpop+jwt', 'secevent+jwt'])('refuses a %s', async (typ) => {
  await expect(bearerOf(provider.issuer)(await sign(key, claims(), { typ }))).rejects.toThrow(AuthenticationFailed)
})

it('says so where the provider cannot be reached, and does not blame the token', async () => {
  const token = await sign(key, claims())
  await provider.close()
  await expect(bearerOf(provider.issuer)(token)).rejects.toThrow(IdentityProviderUnavailable)
})

it.each([
  ['has no discovery document', '.well-known/openid-configuration', undefined],
  ['speaks for another issuer', '.well-known/openid-configuration', { issuer: 'https://evil.example', jwks_uri: 'x' }],
  ['answers nonsense', '.well-known/openid-configuration', 'nonsense'],
  ['has no keys', 'keys', undefined],
  ['publishes nonsense for keys', 'keys', { keys: 'nonsense' }],
])('says that it is unavailable where the provider %s', async (_what, path, document) => {
  provider.documents.set(`/realms/shop/${path}`, document)
  const bearer = bearerOf(provider.issuer)
  await expect(bearer(await sign(key, claims()))).rejects.toThrow(IdentityProviderUnavailable)
})

it('does not hammer a provider that fails', async () => {
  provider.documents.clear()
  const bearer = bearerOf(provider.issuer)
  const token = await sign(key, claims())
  for (let i = 0; i < 5; i++) await expect(bearer(token)).rejects.toThrow(IdentityProviderUnavailable)
  expect(provider.requests).toHaveLength(1)
})

it('knows a person by subject, and by address once it is verified', () => {
  const person = { sub: 'u-1', azp: 'web', email: 'Ann@Example.com' }
  expect(externalCallerOf({ ...person, email_verified: true })).toMatchObject({ subjects: ['u-1', 'ann@example.com'] })
  expect(externalCallerOf({ ...person, email_verified: false })).toMatchObject({ subjects: ['u-1'] })
  expect(externalCallerOf({ ...person, email_verified: 'true' })).toMatchObject({ subjects: ['u-1'] })
  expect(externalCallerOf(person)).toMatchObject({ subjects: ['u-1'] })
})

it('does not take an e-mail claim that is no address for a name', () => {
  const claim = { sub: 'u-1', email: 'deploy-bot', email_verified: true }
  expect(externalCallerOf(claim)).toMatchObject({ subjects: ['u-1'] })
})

it('knows a client by its id', () => {
  const bot = { kind: 'client', id: 'bot', subjects: ['bot'], admin: false }
  expect(externalCallerOf({ sub: 'bot', client_id: 'bot' })).toEqual(bot)
  expect(externalCallerOf({ sub: 'bot', azp: 'bot' })).toEqual(bot)
  expect(externalCallerOf({ client_id: 'bot' })).toEqual(bot)
})

it.each([
  ['nobody', {}],
  ['an empty subject', { sub: '' }],
  ['a subject without end', { sub: 'x'.repeat(256) }],
  ['a subject with a NUL', { sub: 'ann\0' }],
  ['half a character', { sub: 'ann\ud83d' }],
  ['a subject that is no text', { sub: 7 as unknown as string }],
  ['an ID token', { sub: 'u-1', typ: 'ID' }],
  ['a refresh token', { sub: 'u-1', typ: 'Refresh' }],
])('refuses %s', (_what, wrong) => {
  expect(() => externalCallerOf(wrong)).toThrow(AuthenticationFailed)
})

it('makes nobody an administrator', () => {
  expect(externalCallerOf({ sub: 'u-1', admin: true })).toMatchObject({ admin: false })
})
