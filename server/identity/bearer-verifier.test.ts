import { createHmac } from 'node:crypto'
import { createLocalJWKSet, exportSPKI } from 'jose'
import { beforeAll, expect, it } from 'vitest'
import { type BearerVerifier, createBearerVerifier } from './bearer-verifier.ts'
import { AuthenticationFailed } from './caller.ts'
import { encode, makeKey, NOW_S, type SigningKey, sign } from './conformance/token-maker.ts'

const ISSUER = 'https://id.example'
const AUDIENCE = 'https://faultline.example/api'
const GOOD = { iss: ISSUER, aud: AUDIENCE, sub: 'ann', iat: NOW_S, exp: NOW_S + 600 }

let keys: Record<string, SigningKey>
let verify: BearerVerifier

const keyFor = (alg: string): SigningKey => keys[alg] as SigningKey

beforeAll(async () => {
  const made = await Promise.all(['RS256', 'PS256', 'ES256', 'EdDSA', 'ES384'].map((alg) => makeKey(alg, `kid-${alg}`)))
  keys = Object.fromEntries(made.map((key) => [key.alg, key]))
  const jwks = createLocalJWKSet({ keys: made.map(({ jwk }) => jwk) })
  verify = createBearerVerifier({ issuer: ISSUER, audience: AUDIENCE, jwks, types: ['at+jwt'] })
})

it.each(['RS256', 'PS256', 'ES256', 'EdDSA'])('accepts a good token signed with %s', async (alg) => {
  expect(await verify(await sign(keyFor(alg), GOOD))).toEqual(GOOD)
})

it('accepts one of several audiences, and a clock that is a little off', async () => {
  const audiences = { ...GOOD, aud: ['https://other.example', AUDIENCE] }
  expect(await verify(await sign(keyFor('ES256'), audiences))).toMatchObject({ sub: 'ann' })
  const justOver = { ...GOOD, exp: NOW_S - 1, nbf: NOW_S - 60 }
  expect(await verify(await sign(keyFor('ES256'), justOver))).toMatchObject({ sub: 'ann' })
})

it.each([
  ['of another issuer', { ...GOOD, iss: 'https://id.example.evil.example' }],
  ['without an issuer', { ...GOOD, iss: undefined }],
  ['for another audience', { ...GOOD, aud: 'https://faultline.example' }],
  ['without an audience', { ...GOOD, aud: undefined }],
  ['that has expired', { ...GOOD, exp: NOW_S - 60 }],
  ['that never expires', { ...GOOD, exp: undefined }],
  ['whose expiry is no number', { ...GOOD, exp: '2099-01-01' as unknown as number }],
  ['that is not valid yet', { ...GOOD, nbf: NOW_S + 120 }],
])('refuses a token %s', async (_what, claims) => {
  const defined = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined))
  const token = `${encode({ alg: 'ES256', kid: 'kid-ES256', typ: 'at+jwt' })}.${encode(defined)}`
  const signature = await crypto.subtle.sign(
    { name: 'ECDSA', hash: 'SHA-256' },
    keyFor('ES256').privateKey,
    new TextEncoder().encode(token),
  )
  const signed = `${token}.${Buffer.from(signature).toString('base64url')}`
  await expect(verify(signed)).rejects.toThrow(AuthenticationFailed)
})

it('says that a token has expired, and of any other fault only that it is not valid', async () => {
  const expired = await sign(keyFor('ES256'), { ...GOOD, exp: NOW_S - 60 })
  await expect(verify(expired)).rejects.toThrow('The bearer token has expired.')
  const foreign = await sign(keyFor('ES256'), { ...GOOD, iss: 'https://evil.example' })
  await expect(verify(foreign)).rejects.toThrow('The bearer token is not valid.')
})

it.each(['none', 'None', 'NONE', ''])(
  'refuses a token without a signature that calls its algorithm "%s"',
  async (alg) => {
    const unsigned = `${encode({ alg, typ: 'at+jwt' })}.${encode(GOOD)}.`
    await expect(verify(unsigned)).rejects.toThrow(AuthenticationFailed)
    const [, , signature] = (await sign(keyFor('ES256'), GOOD)).split('.')
    await expect(verify(`${unsigned}${signature}`)).rejects.toThrow(AuthenticationFailed)
  },
)

it('refuses HS256 with a public key for a secret, in whatever form', async () => {
  const { publicKey, jwk } = keyFor('RS256')
  const spki = await exportSPKI(publicKey)
  for (const secret of [spki, spki.trim(), JSON.stringify(jwk), jwk.n ?? '']) {
    const signed = `${encode({ alg: 'HS256', kid: 'kid-RS256', typ: 'at+jwt' })}.${encode(GOOD)}`
    const signature = createHmac('sha256', secret).update(signed).digest('base64url')
    await expect(verify(`${signed}.${signature}`)).rejects.toThrow(AuthenticationFailed)
  }
})

it('refuses a key that is not published, whichever kid it claims, and the keys a token brings along', async () => {
  const forger = await makeKey('ES256', 'kid-forger')
  await expect(verify(await sign(forger, GOOD))).rejects.toThrow(AuthenticationFailed)
  await expect(verify(await sign(forger, GOOD, { kid: 'kid-ES256' }))).rejects.toThrow(AuthenticationFailed)
  await expect(verify(await sign(forger, GOOD, { kid: undefined }))).rejects.toThrow(AuthenticationFailed)
  const brought = { jwk: forger.jwk, jku: 'https://evil.example/keys', kid: '../../kid-ES256' }
  await expect(verify(await sign(forger, GOOD, brought))).rejects.toThrow(AuthenticationFailed)
})

it('refuses an algorithm that is not among the four, even of a published key', async () => {
  await expect(verify(await sign(keyFor('ES384'), GOOD))).rejects.toThrow(AuthenticationFailed)
})

it('refuses a token that was changed after signing, at any place', async () => {
  const token = await sign(keyFor('ES256'), GOOD)
  const [header = '', payload = '', signature = ''] = token.split('.')
  const tampered = [
    `${header}.${encode({ ...GOOD, sub: 'root' })}.${signature}`,
    `${encode({ alg: 'ES256', kid: 'kid-ES256', typ: 'at+jwt', x: 1 })}.${payload}.${signature}`,
    `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
    `${header}.${payload}.`,
    `${header}.${payload}`,
    `${token}.`,
  ]
  for (const bad of tampered) await expect(verify(bad), bad).rejects.toThrow(AuthenticationFailed)
})

it.each(['JWT', 'dpop+jwt', 'logout+jwt', undefined])(
  'refuses the type %s where access tokens have their own',
  async (typ) => {
    await expect(verify(await sign(keyFor('ES256'), GOOD, { typ }))).rejects.toThrow(AuthenticationFailed)
  },
)

it('refuses extensions that it would have to understand', async () => {
  const token = `${encode({ alg: 'ES256', kid: 'kid-ES256', typ: 'at+jwt', crit: ['exp'], exp: 1 })}.${encode(GOOD)}.AAAA`
  await expect(verify(token)).rejects.toThrow(AuthenticationFailed)
})

it.each(['', '.', '..', 'a.b.c', '{}.{}.{}', `${'a'.repeat(20_000)}.b.c`])('refuses nonsense', async (token) => {
  await expect(verify(token)).rejects.toThrow(AuthenticationFailed)
})
