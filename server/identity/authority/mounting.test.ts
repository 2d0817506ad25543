import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { openSqliteControlStore } from '../../control/sqlite/open-control-store.ts'
import { openAuthority } from './open-authority.ts'

const closing: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function serve(publicUrl: string, prefix: string): Promise<string> {
  const control = await openSqliteControlStore(':memory:')
  const reportError = (error: unknown) => {
    throw error
  }
  const authority = await openAuthority({ control, publicUrl, reportError })
  const server: Server = createServer((request, response) => {
    request.url = (request.url ?? '').slice(prefix.length)
    authority.handler(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(control.close, authority.close, () => new Promise((resolve) => server.close(resolve)))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it.each([
  ['with the mount in the address', ''],
  ['with the mount taken off', '/oauth'],
])('works %s', async (_how, prefix) => {
  const base = await serve('https://faultline.example', prefix)
  const response = await fetch(`${base}/oauth/.well-known/openid-configuration`)
  expect(await response.json()).toMatchObject({
    issuer: 'https://faultline.example/oauth',
    authorization_endpoint: 'https://faultline.example/oauth/auth',
    code_challenge_methods_supported: ['S256'],
    grant_types_supported: expect.arrayContaining(['authorization_code', 'client_credentials', 'refresh_token']),
  })
})

it('links to a public address with a path of its own', async () => {
  const base = await serve('https://tools.example/faultline/', '')
  const response = await fetch(`${base}/oauth/.well-known/openid-configuration`)
  expect(await response.json()).toMatchObject({
    issuer: 'https://tools.example/faultline/oauth',
    token_endpoint: 'https://tools.example/faultline/oauth/token',
  })
})

it('believes neither the Host of a request nor what it says of a proxy', async () => {
  const base = await serve('https://faultline.example', '')
  const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'gopher', forwarded: 'host=evil.example' }
  const response = await fetch(`${base}/oauth/.well-known/openid-configuration`, { headers })
  expect(await response.text()).not.toContain('evil.example')
})

it('marks its cookies secure where the public address is, also behind a proxy that ends TLS', async () => {
  const base = await serve('https://faultline.example', '')
  const query = new URLSearchParams({
    client_id: 'faultline-ui',
    redirect_uri: 'https://faultline.example/ui/callback',
    response_type: 'code',
    scope: 'openid',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  })
  const response = await fetch(`${base}/oauth/auth?${query}`, { redirect: 'manual' })
  const cookies = response.headers.getSetCookie()
  expect(cookies.length).toBeGreaterThan(0)
  for (const cookie of cookies) expect(cookie).toMatch(/; samesite=lax; secure; httponly/)
})
