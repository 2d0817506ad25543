import { afterEach, beforeEach, expect, it } from 'vitest'
import { Browser } from '../conformance/browser.ts'
import { type ServedAuthority, serveAuthority } from '../conformance/served-authority.ts'
import { ANN, startSigningIn } from '../conformance/sign-in.ts'

const CLI = { clientId: 'faultline-cli', redirectUri: 'http://127.0.0.1:49152/callback' }

let served: ServedAuthority

beforeEach(async () => {
  served = await serveAuthority()
  await served.control.users.create(ANN)
})
afterEach(async () => {
  await served.close()
  expect(served.faults).toEqual([])
})

it('is a plain form with labels, without scripts and without anything to load', async () => {
  const { first } = await startSigningIn(served)
  const html = await first.response.text()
  expect(html).toContain('<html lang="en">')
  expect(html).toContain('<label for="email">')
  expect(html).toContain('<label for="password">')
  expect(html).not.toMatch(/<script|<link|<img|style=|\son\w+=|@import|url\(/)
  const policy = first.response.headers.get('content-security-policy') ?? ''
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' http:/)
  expect(policy).toContain("frame-ancestors 'none'")
  expect(first.response.headers.get('cache-control')).toBe('no-store')
})

it('says the same of a wrong password and of an address that nobody has', async () => {
  const wrong = await startSigningIn(served)
  const unknown = await startSigningIn(served)
  const pages = [
    await wrong.submit({ email: ANN.email, password: 'not the password' }),
    await unknown.submit({ email: 'bob@example.com', password: 'not the password' }),
  ]
  const texts = await Promise.all(pages.map(({ response }) => response.text()))
  const [first, second] = texts.map((html) => html.replace(/action="[^"]+"/, '').replace(/\w+@example.com/, ''))
  expect(pages.map(({ response }) => response.status)).toEqual([422, 422])
  expect(first).toContain('role="alert"')
  expect(first).toBe(second)
})

it('lets the person try again after a wrong password', async () => {
  const { submit, exchange } = await startSigningIn(served)
  await submit({ email: ANN.email, password: 'not the password' })
  const { url } = await submit({ email: ANN.email, password: ANN.password })
  expect((await exchange(url)).access_token).toBeTruthy()
})

it('locks out after ten failures, also for the right password, and says nothing of it', async () => {
  const { submit } = await startSigningIn(served)
  const pages: string[] = []
  for (let i = 0; i < 10; i++) {
    pages.push(await (await submit({ email: ANN.email, password: 'not the password' })).response.text())
  }
  const locked = await submit({ email: ANN.email, password: ANN.password })
  expect(locked.response.status).toBe(422)
  expect(await locked.response.text()).toBe(pages[0])
})

it('shows what was typed without ever running it', async () => {
  const { submit } = await startSigningIn(served)
  const { response } = await submit({ email: '"><script>alert(1)</script>', password: 'x' })
  const html = await response.text()
  expect(html).toContain('&quot;&gt;&lt;script&gt;')
  expect(html).not.toContain('<script')
})

it('is nothing to a browser that did not ask for it', async () => {
  const { first } = await startSigningIn(served)
  const stranger = new Browser()
  expect((await stranger.request(first.url)).status).toBe(400)
  const posted = await stranger.request(first.url, { email: ANN.email, password: ANN.password })
  expect(posted.status).toBe(400)
  expect(posted.headers.get('location')).toBeNull()
})

it('is not confused by the cookie of another sign-in', async () => {
  const { browser, first } = await startSigningIn(served)
  const other = await startSigningIn(served)
  const cookie = ['faultline_interaction', 'faultline_interaction.sig']
    .map((name) => `${name}=${browser.cookie(name)}`)
    .join('; ')
  const ask = async (url: URL) => (await fetch(url, { headers: { cookie } })).status
  expect(await ask(first.url)).toBe(200)
  expect(await ask(other.first.url)).toBe(400)
})

it('refuses a form without end, and what is no form', async () => {
  const { browser, first } = await startSigningIn(served)
  const long = await browser.request(first.url, { email: ANN.email, password: 'x'.repeat(20_000) })
  expect(long.status).toBe(400)
  expect((await fetch(first.url, { method: 'POST', body: '{}' })).status).toBe(400)
  expect((await fetch(first.url, { method: 'DELETE' })).status).toBe(404)
})

it('sends the command line its code on whatever loopback port it listens', async () => {
  for (const port of [49152, 50001]) {
    const redirectUri = `http://127.0.0.1:${port}/callback`
    const { submit, exchange, first } = await startSigningIn(served, { ...CLI, redirectUri })
    expect(first.response.headers.get('content-security-policy')).toContain(
      `form-action 'self' http://127.0.0.1:${port};`,
    )
    const { url } = await submit({ email: ANN.email, password: ANN.password })
    expect(url.href.startsWith(redirectUri)).toBe(true)
    const tokens = await exchange(url)
    expect(await served.bearer(tokens.access_token)).toMatchObject({ kind: 'user' })
    expect(tokens.refresh_token).toBeTruthy()
  }
})

it('asks someone who is signed in before the command line may act for them', async () => {
  const { browser, submit } = await startSigningIn(served, CLI)
  await submit({ email: ANN.email, password: ANN.password })
  const again = await startSigningIn(served, { ...CLI, browser })
  expect(await again.first.response.text()).toContain(`<strong>${ANN.email}</strong>`)
  const { url } = await again.submit({ answer: 'yes' })
  expect((await again.exchange(url)).access_token).toBeTruthy()
  const third = await startSigningIn(served, { ...CLI, browser })
  const cancelled = await third.submit({ answer: 'no' })
  expect(cancelled.url.searchParams.get('error')).toBe('access_denied')
  expect(cancelled.url.searchParams.has('code')).toBe(false)
})
