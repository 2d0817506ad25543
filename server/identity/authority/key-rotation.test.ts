import { decodeProtectedHeader } from 'jose'
import * as client from 'openid-client'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { AuthenticationFailed } from '../caller.ts'
import { type ServedAuthority, serveAuthority } from '../conformance/served-authority.ts'
import { ANN, discover, signIn, startSigningIn } from '../conformance/sign-in.ts'
import { keysAt } from './authority-keys.ts'

const DAY_MS = 24 * 60 * 60_000

let served: ServedAuthority
let secret: string

beforeEach(async () => {
  served = await serveAuthority()
  secret = (await served.control.clients.create({ id: 'ci', name: 'CI', admin: false })).secret
})
afterEach(async () => {
  await served.close()
  expect(served.faults).toEqual([])
})

async function newToken(): Promise<string> {
  return (await client.clientCredentialsGrant(await discover(served, 'ci', secret))).access_token
}

async function publishedKids(): Promise<string[]> {
  const response = await fetch(`${served.authority.issuer}/jwks`)
  const { keys } = (await response.json()) as { keys: Record<string, string>[] }
  expect(keys.every((key) => !('d' in key))).toBe(true)
  return keys.map(({ kid }) => kid ?? '')
}

const kidOf = (token: string) => decodeProtectedHeader(token).kid ?? ''

it('leaves young keys alone', async () => {
  const before = await publishedKids()
  await served.authority.rotateSigningKeys(Date.now() + 89 * DAY_MS)
  expect(await publishedKids()).toEqual(before)
  expect(before).toHaveLength(1)
})

it('signs with a new key after 90 days, and the old one still vouches for 30 more', async () => {
  const old = await newToken()
  await served.authority.rotateSigningKeys(Date.now() + 91 * DAY_MS)
  const fresh = await newToken()
  expect(kidOf(fresh)).not.toBe(kidOf(old))
  expect(await publishedKids()).toEqual([kidOf(fresh), kidOf(old)])
  expect(await served.bearer(old)).toMatchObject({ id: 'ci' })
  expect(await served.bearer(fresh)).toMatchObject({ id: 'ci' })

  await served.authority.rotateSigningKeys(Date.now() + (91 + 31) * DAY_MS)
  expect(await publishedKids()).toEqual([kidOf(fresh)])
  await expect(served.bearer(old)).rejects.toThrow(AuthenticationFailed)
})

it('does not sign anyone out', async () => {
  await served.control.users.create(ANN)
  const { browser, configuration, tokens } = await signIn(served)
  const begun = await startSigningIn(served)
  await served.authority.rotateSigningKeys(Date.now() + 91 * DAY_MS)
  expect((await client.refreshTokenGrant(configuration, tokens.refresh_token ?? '')).access_token).toBeTruthy()
  const again = await startSigningIn(served, { browser })
  expect(again.first.url.searchParams.get('code')).toBeTruthy()
  const { url } = await begun.submit({ email: ANN.email, password: ANN.password })
  expect(url.searchParams.get('code')).toBeTruthy()
})

it('never holds more keys than their times allow', () => {
  let keys = keysAt(undefined, 0)
  for (let day = 1; day <= 1000; day++) {
    keys = keysAt(keys, day * DAY_MS)
    expect(keys.signing.length).toBeLessThanOrEqual(2)
    expect(keys.signing.filter(({ retiredAtMs }) => retiredAtMs === null)).toHaveLength(1)
    expect(keys.signing[0]?.retiredAtMs).toBeNull()
  }
})

it('makes a key where the server was off for longer than any is kept', () => {
  const before = keysAt(undefined, 0)
  const after = keysAt(before, 1000 * DAY_MS)
  expect(after.signing[0]?.key.kid).not.toBe(before.signing[0]?.key.kid)
})
