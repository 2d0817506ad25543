import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as client from 'openid-client'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type ServedAuthority, serveAuthority } from '../conformance/served-authority.ts'
import { ANN, signIn, startSigningIn } from '../conformance/sign-in.ts'

let folder: string
let path: string
let served: ServedAuthority

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'authority-'))
  path = join(folder, 'control.db')
  served = await serveAuthority({ path })
  await served.control.users.create(ANN)
})
afterEach(async () => {
  await served.close()
  await rm(folder, { recursive: true, force: true })
})

async function restart(): Promise<void> {
  await served.close()
  served = await serveAuthority({ path, port: served.port })
}

it('keeps refresh tokens, signing keys and sessions over a restart', async () => {
  const { browser, configuration, tokens } = await signIn(served)
  await restart()
  expect(await served.bearer(tokens.access_token)).toMatchObject({ kind: 'user' })
  const refreshed = await client.refreshTokenGrant(configuration, tokens.refresh_token ?? '')
  expect(await served.bearer(refreshed.access_token)).toMatchObject({ kind: 'user' })
  const again = await startSigningIn(served, { browser })
  expect(again.first.url.searchParams.get('code')).toBeTruthy()
})

it('goes on with a sign-in that was begun before a restart', async () => {
  const { submit, exchange } = await startSigningIn(served)
  await restart()
  const { url } = await submit({ email: ANN.email, password: ANN.password })
  expect((await exchange(url)).access_token).toBeTruthy()
})

it('keeps a lockout over a restart', async () => {
  const { submit } = await startSigningIn(served)
  for (let i = 0; i < 10; i++) await submit({ email: ANN.email, password: 'not the password' })
  await restart()
  expect((await submit({ email: ANN.email, password: ANN.password })).response.status).toBe(422)
})

it('never writes a code, a token, a password or a session cookie into the file', async () => {
  const { browser, callback, configuration, tokens } = await signIn(served)
  const refreshed = await client.refreshTokenGrant(configuration, tokens.refresh_token ?? '')
  await startSigningIn(served, { browser, clientId: 'faultline-cli', redirectUri: 'http://127.0.0.1:49152/callback' })
  const bytes = Buffer.concat(await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name)))))
  expect(bytes.includes('RefreshToken')).toBe(true)
  const secrets = {
    password: ANN.password,
    code: callback.searchParams.get('code') ?? '',
    refresh: tokens.refresh_token ?? '',
    refreshed: refreshed.refresh_token ?? '',
    access: tokens.access_token,
    id: tokens.id_token ?? '',
    session: browser.cookie('faultline_session') ?? '',
  }
  for (const [name, secret] of Object.entries(secrets)) {
    expect(secret.length, name).toBeGreaterThan(10)
    expect(bytes.includes(secret), name).toBe(false)
  }
})
