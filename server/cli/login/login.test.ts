import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { Browser } from '../../identity/conformance/browser.ts'
import { type ServedAuthority, serveAuthority } from '../../identity/conformance/served-authority.ts'
import { ANN } from '../../identity/conformance/sign-in.ts'
import { type CliResult, faultline, start } from '../testing/test-shell.ts'
import { loginCredential } from './login-credential.ts'
import { type Login, readLogins } from './login-file.ts'

let served: ServedAuthority
let home: string
let file: string

beforeAll(async () => {
  served = await serveAuthority()
  await served.control.users.create(ANN)
})
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'faultline-login-'))
  file = join(home, '.config', 'faultline', 'logins.json')
  return () => rm(home, { recursive: true })
})
afterAll(() => served.close())

/** Signs in as a person would who opens the printed address. */
async function signIn(): Promise<CliResult> {
  const login = start(['login', '--url', served.publicUrl], { HOME: home })
  const address = await vi.waitFor(() => /(http\S+oauth\/auth\S+)/.exec(login.output())?.[1] ?? expect.unreachable())
  const redirectUri = new URL(address).searchParams.get('redirect_uri') ?? ''
  const browser = new Browser()
  const page = await browser.visit(address, redirectUri)
  const done = await browser.visit(page.url, redirectUri, { email: ANN.email, password: ANN.password })
  const stranger = await fetch(`${redirectUri}?code=stolen&state=guessed`)
  expect(stranger.status).toBe(404)
  expect(await (await fetch(done.url)).text()).toContain('You are signed in')
  return login.finished
}

async function onlyLogin(): Promise<Login> {
  const [login, ...others] = await readLogins(file)
  expect(others).toEqual([])
  return login ?? expect.unreachable()
}

async function callerOf(login: Login): Promise<unknown> {
  const { authorization = '' } = await loginCredential(file, login)()
  return served.bearer(authorization.replace('Bearer ', ''))
}

describe('a login', () => {
  it('is made in a browser, kept where nobody else can read it, and speaks for the person', async () => {
    expect(await signIn()).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Signed in to') })
    expect((await stat(file)).mode & 0o077).toBe(0)
    expect(await callerOf(await onlyLogin())).toMatchObject({ kind: 'user', subjects: [expect.any(String), ANN.email] })
  })

  it('is renewed once for all commands that need it at the same time', async () => {
    await signIn()
    const expired = { ...(await onlyLogin()), expiresAtMs: 0 }
    await writeFile(file, JSON.stringify([expired]))
    const callers = await Promise.all([callerOf(expired), callerOf(expired), callerOf(expired)])
    expect(callers.every((caller) => caller !== undefined)).toBe(true)
    expect((await onlyLogin()).refreshToken).not.toBe(expired.refreshToken)
    expect(await callerOf(await onlyLogin())).toMatchObject({ kind: 'user' })
  })

  it('says that it has ended', async () => {
    await signIn()
    const ended = { ...(await onlyLogin()), expiresAtMs: 0, refreshToken: 'revoked' }
    await writeFile(file, JSON.stringify([ended]))
    const { exitCode, stderr } = await faultline(['grids', 'list'], { HOME: home })
    expect(exitCode).toBe(1)
    expect(stderr).toContain(`The login to ${served.publicUrl} has ended`)
  })

  it('is forgotten on request', async () => {
    await signIn()
    await faultline(['logout', '--url', served.publicUrl], { HOME: home })
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual([])
  })
})
