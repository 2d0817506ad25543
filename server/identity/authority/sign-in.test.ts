import { decodeJwt } from 'jose'
import * as client from 'openid-client'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { AuthenticationFailed } from '../caller.ts'
import { Browser } from '../conformance/browser.ts'
import { type ServedAuthority, serveAuthority } from '../conformance/served-authority.ts'
import { ANN, discover, signIn, startSigningIn } from '../conformance/sign-in.ts'

let served: ServedAuthority
let userId: string

beforeEach(async () => {
  served = await serveAuthority()
  userId = (await served.control.users.create(ANN)).id
})
afterEach(async () => {
  await served.close()
  expect(served.faults).toEqual([])
})

const refresh = (configuration: client.Configuration, token = '') => client.refreshTokenGrant(configuration, token)

it('signs a person in by password and gives the application tokens that name them', async () => {
  const { tokens } = await signIn(served)
  const person = { kind: 'user', id: userId, subjects: [userId, ANN.email], admin: false }
  expect(await served.bearer(tokens.access_token)).toEqual(person)
  expect(tokens.claims()).toMatchObject({ sub: userId, email: ANN.email, email_verified: true, name: 'Ann' })
  expect(decodeJwt(tokens.access_token)).toMatchObject({ aud: served.authority.audience, client_id: 'faultline-ui' })
})

it('does not take an ID token for an access token', async () => {
  const { tokens } = await signIn(served)
  await expect(served.bearer(tokens.id_token ?? '')).rejects.toThrow(AuthenticationFailed)
})

it('refreshes, each time with another refresh token', async () => {
  const { tokens, configuration } = await signIn(served)
  const second = await refresh(configuration, tokens.refresh_token)
  const third = await refresh(configuration, second.refresh_token)
  expect(new Set([tokens.refresh_token, second.refresh_token, third.refresh_token]).size).toBe(3)
  expect(await served.bearer(third.access_token)).toMatchObject({ id: userId })
})

it('takes a refresh token that is used twice for stolen, and ends all that came from it', async () => {
  const { tokens, configuration } = await signIn(served)
  const second = await refresh(configuration, tokens.refresh_token)
  await expect(refresh(configuration, tokens.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' })
  await expect(refresh(configuration, second.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' })
})

it('gives one answer where a refresh token is used many times at once', async () => {
  const { tokens, configuration } = await signIn(served)
  const tries = Array.from({ length: 8 }, () => refresh(configuration, tokens.refresh_token))
  const outcomes = await Promise.allSettled(tries)
  expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1)
})

it('exchanges a code once', async () => {
  const { exchange, callback } = await signIn(served)
  await expect(exchange(callback)).rejects.toMatchObject({ error: 'invalid_grant' })
})

it('refuses a code without the verifier that it was asked for with', async () => {
  const { submit, configuration } = await startSigningIn(served)
  const { url } = await submit({ email: ANN.email, password: ANN.password })
  const form = { grant_type: 'authorization_code', client_id: 'faultline-ui', code: url.searchParams.get('code') ?? '' }
  const redirect_uri = `${served.publicUrl}/ui/callback`
  const endpoint = configuration.serverMetadata().token_endpoint ?? ''
  for (const proof of [{}, { code_verifier: client.randomPKCECodeVerifier() }]) {
    const body = new URLSearchParams({ ...form, redirect_uri, ...proof })
    const response = await fetch(endpoint, { method: 'POST', body })
    expect(await response.json()).toMatchObject({ error: 'invalid_grant' })
  }
})

it.each([
  ['no PKCE', { code_challenge: '', code_challenge_method: '' }],
  ['the plain method', { code_challenge_method: 'plain' }],
  ['a token in the address', { response_type: 'token' }],
])('sends back an error for %s', async (_what, parameters) => {
  const { first } = await startSigningIn(served, { parameters })
  expect(first.url.pathname).toBe('/ui/callback')
  expect(first.url.href).toMatch(/[?#&]error=/)
})

it.each(['https://evil.example/callback', 'http://127.0.0.1:1/ui/callback'])(
  'does not send anyone to %s, which is not registered',
  async (redirectUri) => {
    const { first } = await startSigningIn(served, { redirectUri })
    expect(first.response.status).toBe(400)
    expect(first.url.href.startsWith(served.authority.issuer)).toBe(true)
    expect(await first.response.text()).toContain('redirect_uri')
  },
)

it('lets someone who is signed in pass without a page', async () => {
  const { browser } = await signIn(served)
  const again = await startSigningIn(served, { browser })
  expect(again.first.url.searchParams.get('code')).toBeTruthy()
  expect((await again.exchange(again.first.url)).access_token).toBeTruthy()
})

it('ends the refresh token of the browser when the person signs out there', async () => {
  const { browser, configuration, tokens } = await signIn(served)
  const hint = { id_token_hint: tokens.id_token ?? '', post_logout_redirect_uri: `${served.publicUrl}/ui/` }
  const page = await browser.request(client.buildEndSessionUrl(configuration, hint))
  const html = await page.text()
  const xsrf = /name="xsrf" value="(\w+)"/.exec(html)?.[1] ?? ''
  const { url } = await browser.visit(`${served.authority.issuer}/session/end/confirm`, hint.post_logout_redirect_uri, {
    xsrf,
    logout: 'yes',
  })
  expect(url.href).toBe(hint.post_logout_redirect_uri)
  await expect(refresh(configuration, tokens.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' })
  expect((await startSigningIn(served, { browser })).first.response.status).toBe(200)
})

it('revokes a refresh token on request', async () => {
  const { configuration, tokens } = await signIn(served)
  await client.tokenRevocation(configuration, tokens.refresh_token ?? '')
  await expect(refresh(configuration, tokens.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' })
})

it('stops knowing a user the moment it is removed', async () => {
  const { browser, configuration, tokens } = await signIn(served)
  await served.control.users.remove(userId)
  await expect(served.bearer(tokens.access_token)).rejects.toThrow(AuthenticationFailed)
  await expect(refresh(configuration, tokens.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' })
  const again = await startSigningIn(served, { browser })
  expect(again.first.response.status).toBe(200)
  expect(await again.first.response.text()).toContain('name="password"')
})

it('signs out everywhere when the password changes', async () => {
  const { browser, configuration, tokens } = await signIn(served)
  await served.control.users.setPassword(userId, 'another password')
  await expect(refresh(configuration, tokens.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' })
  const again = await startSigningIn(served, { browser })
  expect(await again.first.response.text()).toContain('name="password"')
})

it('makes nobody an administrator but those who are one now', async () => {
  const { id } = await served.control.users.create({ ...ANN, email: 'root@example.com', admin: true })
  const started = await startSigningIn(served)
  const { url } = await started.submit({ email: 'root@example.com', password: ANN.password })
  const { access_token } = await started.exchange(url)
  expect(await served.bearer(access_token)).toMatchObject({ id, admin: true })
  expect(await served.bearer((await signIn(served)).tokens.access_token)).toMatchObject({ admin: false })
})

it('lets the web page read answers of its own origin, and no other', async () => {
  const { configuration } = await signIn(served)
  const endpoint = configuration.serverMetadata().token_endpoint ?? ''
  const post = (origin: string) => {
    const body = new URLSearchParams({ grant_type: 'refresh_token', client_id: 'faultline-ui', refresh_token: 'x' })
    return fetch(endpoint, { method: 'POST', body, headers: { origin } })
  }
  expect((await post(served.publicUrl)).headers.get('access-control-allow-origin')).toBe(served.publicUrl)
  expect((await post('https://evil.example')).headers.get('access-control-allow-origin')).toBeNull()
})

it('serves the same discovery document at both well-known addresses, whatever Host a request names', async () => {
  const metadata = (await discover(served, 'faultline-ui')).serverMetadata()
  expect(metadata).toMatchObject({ issuer: served.authority.issuer, jwks_uri: `${served.authority.issuer}/jwks` })
  const other = await new Browser().request(`${served.publicUrl}/.well-known/oauth-authorization-server/oauth`)
  expect(await other.json()).toMatchObject({ issuer: served.authority.issuer, token_endpoint: metadata.token_endpoint })
})

it('answers problem+json where there is nothing', async () => {
  const response = await fetch(`${served.authority.issuer}/nothing`)
  expect(response.status).toBe(404)
  expect(response.headers.get('content-type')).toContain('application/problem+json')
  expect(await response.json()).toMatchObject({ status: 404, instance: '/oauth/nothing' })
})
