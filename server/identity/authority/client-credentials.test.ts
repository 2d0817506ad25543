import { decodeProtectedHeader, SignJWT } from 'jose'
import * as client from 'openid-client'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { hashOfSecret } from '../../control/secrets.ts'
import { AuthenticationFailed } from '../caller.ts'
import { type ServedAuthority, serveAuthority } from '../conformance/served-authority.ts'
import { discover } from '../conformance/sign-in.ts'

let served: ServedAuthority
let secret: string

beforeEach(async () => {
  served = await serveAuthority()
  secret = (await served.control.clients.create({ id: 'ci', name: 'CI', admin: true })).secret
})
afterEach(async () => {
  await served.close()
  expect(served.faults).toEqual([])
})

function post(form: Record<string, string>): Promise<Response> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...form })
  return fetch(`${served.authority.issuer}/token`, { method: 'POST', body })
}

it('gives a machine a signed access token that names it', async () => {
  const tokens = await client.clientCredentialsGrant(await discover(served, 'ci', secret))
  expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 600 })
  expect(decodeProtectedHeader(tokens.access_token)).toMatchObject({ alg: 'ES256', typ: 'at+jwt' })
  expect(await served.bearer(tokens.access_token)).toEqual({ kind: 'client', id: 'ci', subjects: ['ci'], admin: true })
})

it('takes the secret in the form as well, and a scope and a resource where a library insists', async () => {
  const form = { client_id: 'ci', client_secret: secret, scope: 'api', resource: served.authority.audience }
  const response = await post(form)
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ scope: 'api' })
})

it('takes a secret with characters that need encoding', async () => {
  await served.control.clients.create({ id: 'odd', name: 'Odd', admin: false, secret: 'a+b%c:d&e=f/g?h#i' })
  const tokens = await client.clientCredentialsGrant(await discover(served, 'odd', 'a+b%c:d&e=f/g?h#i'))
  expect(await served.bearer(tokens.access_token)).toMatchObject({ id: 'odd' })
})

it('refuses a wrong secret, none, an unknown client, and the hash that is stored', async () => {
  const wrong = [`${secret}x`, secret.slice(0, -1), hashOfSecret(secret), 'x'.repeat(5_000)]
  for (const client_secret of wrong) {
    const response = await post({ client_id: 'ci', client_secret })
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ error: 'invalid_client' })
  }
  expect((await post({ client_id: 'ci' })).status).toBe(401)
  expect((await post({ client_id: 'nobody', client_secret: secret })).status).toBe(401)
  expect((await post({ client_id: 'ci\0', client_secret: secret })).status).toBe(401)
})

it('refuses an assertion that was signed with the stored hash', async () => {
  const assertion = await new SignJWT({ sub: 'ci', iss: 'ci', jti: '1', aud: served.authority.issuer })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('1m')
    .sign(Buffer.from(hashOfSecret(secret)))
  const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
  const response = await post({ client_id: 'ci', client_assertion: assertion, client_assertion_type: type })
  expect(response.ok).toBe(false)
})

it('gives a token for this API only', async () => {
  const response = await post({ client_id: 'ci', client_secret: secret, resource: 'https://elsewhere.example/api' })
  expect(await response.json()).toMatchObject({ error: 'invalid_target' })
})

it('gives none to a client that people sign in to', async () => {
  expect((await post({ client_id: 'faultline-ui' })).status).toBe(400)
})

it('stops knowing a machine the moment it is removed', async () => {
  const tokens = await client.clientCredentialsGrant(await discover(served, 'ci', secret))
  await served.control.clients.remove('ci')
  await expect(served.bearer(tokens.access_token)).rejects.toThrow(AuthenticationFailed)
  expect((await post({ client_id: 'ci', client_secret: secret })).status).toBe(401)
})

it('takes the new secret of a machine that is registered again, and not the old one', async () => {
  await post({ client_id: 'ci', client_secret: secret })
  await served.control.clients.remove('ci')
  const again = await served.control.clients.create({ id: 'ci', name: 'CI', admin: false })
  expect((await post({ client_id: 'ci', client_secret: secret })).status).toBe(401)
  expect((await post({ client_id: 'ci', client_secret: again.secret })).status).toBe(200)
})
