import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Asking, ask } from './api.ts'
import { expectProblem } from './expect-problem.ts'
import { openForge } from './forged-tokens.ts'
import { administratorToken, bearer, clientToken, signIn } from './oauth.ts'
import { sendOtlp, spanIdOf, traceIdOf, traceRequest } from './otlp.ts'
import { ADMIN_PASSWORD, GRID_ID, OWNER_KEY, type ServerProcess, startServer } from './server-process.ts'

const UNKNOWN_GRID = '00000000-0000-4000-8000-000000000000'
const PASSWORD = 'correct horse battery'
const SPAN = { traceId: traceIdOf(1), spanId: spanIdOf(1), startMs: Date.now() - 1000 }
const GRID = `/apm/grids/${GRID_ID}`

let dataDir: string
let server: ServerProcess
let admin: Asking
let otherGrid: string
let otherKey: string
const secrets: string[] = [OWNER_KEY, ADMIN_PASSWORD, PASSWORD]

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'faultline-access-'))
  server = await startServer(dataDir)
  admin = bearer(await administratorToken(server, dataDir))
  otherGrid = (await make<{ gridSecondaryId: string }>('/apm/grids', { name: 'Other' }, admin)).gridSecondaryId
  otherKey = (await makeKey(otherGrid, { role: 'Owner', scopes: ['read', 'ingest', 'manage'] }, admin)).secret
  expect((await sendOtlp(server.url, 'traces', traceRequest([SPAN]))).status).toBe(200)
})

afterAll(async () => {
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
})

async function make<T>(path: string, body: object, asking: Asking = {}): Promise<T> {
  const answer = await ask<T & { secret?: string }>(server, path, { body, ...asking })
  expect(answer.status).toBe(asking.method === 'PUT' ? 200 : 201)
  if (answer.body.secret !== undefined) secrets.push(answer.body.secret)
  return answer.body
}

function makeKey(grid: string, key: object, asking: Asking = {}): Promise<{ id: string; secret: string }> {
  return make(`/apm/grids/${grid}/keys`, { name: 'test', role: 'Guest', scopes: ['read'], ...key }, asking)
}

const withKey = (key: string): Asking => ({ headers: { 'api-key': key } })

/** One of each kind of endpoint that belongs to a Grid. */
const readingPaths = (grid: string) => [
  `/apm/diagnostics/${grid}/health`,
  `/apm/traces/${grid}/filters`,
  `/apm/traces/${grid}/details/${SPAN.spanId}`,
  `/apm/traces/${grid}/spans/${SPAN.spanId}/tags`,
  `/apm/traces/${grid}/correlations/${SPAN.traceId}/spans`,
  `/apm/traces/${grid}/correlations/${SPAN.traceId}/logs`,
  `/apm/logs/${grid}/filters`,
]
const managingPaths = (grid: string) => [`/apm/grids/${grid}/keys`, `/apm/grids/${grid}/members`]

describe('a key', () => {
  it('of another Grid learns nothing, not even whether the Grid exists', async () => {
    for (const paths of [readingPaths, managingPaths]) {
      for (const [i, path] of paths(GRID_ID).entries()) {
        const existing = await ask(server, path, withKey(otherKey))
        expectProblem(existing, 403, 'no-access')
        const unknown = await ask(server, paths(UNKNOWN_GRID)[i] ?? '', withKey(otherKey))
        expect({ ...unknown.body, instance: '' }).toEqual({ ...existing.body, instance: '' })
      }
    }
  })

  it('of another Grid sends to its own Grid, where the same ids are other records', async () => {
    const span = { ...SPAN, name: 'of the other Grid' }
    expect((await sendOtlp(server.url, 'traces', traceRequest([span]), { 'api-key': otherKey })).status).toBe(200)
    const details = (grid: string, key: string) =>
      ask(server, `/apm/traces/${grid}/details/${SPAN.spanId}`, withKey(key))
    expect((await details(GRID_ID, OWNER_KEY)).body).toMatchObject({ operationName: 'work' })
    expect((await details(otherGrid, otherKey)).body).toMatchObject({ operationName: 'of the other Grid' })
  })

  it('does only what its scopes and its role allow', async () => {
    const reading = withKey((await makeKey(GRID_ID, { role: 'Owner', scopes: ['read'] })).secret)
    const sending = withKey((await makeKey(GRID_ID, { role: 'Owner', scopes: ['ingest'] })).secret)
    const guest = withKey((await makeKey(GRID_ID, { role: 'Guest', scopes: ['read', 'manage'] })).secret)
    for (const path of readingPaths(GRID_ID)) {
      expect((await ask(server, path, reading)).status, path).toBe(200)
      expectProblem(await ask(server, path, sending), 403, 'missing-scope', /read/)
    }
    for (const path of managingPaths(GRID_ID)) {
      expectProblem(await ask(server, path, reading), 403, 'missing-scope', /manage/)
      expectProblem(await ask(server, path, guest), 403, 'insufficient-role')
    }
    expectProblem(await ask(server, '/apm/users', guest), 403, 'administrators-only')
    expectProblem(await ask(server, '/apm/grids', { body: { name: 'Mine' } }), 403, 'administrators-only')
  })

  it('stops working at once where it is revoked, rotated or has expired', async () => {
    const expiresAt = new Date(Date.now() + 1_500).toISOString()
    const keys = await Promise.all([{}, {}, { expiresAt }].map((key) => makeKey(GRID_ID, key)))
    const [revoked, rotated] = keys
    for (const { secret } of keys) expect((await ask(server, GRID, withKey(secret))).status).toBe(200)
    expect((await ask(server, `${GRID}/keys/${revoked?.id}`, { method: 'DELETE' })).status).toBe(204)
    const renewed = await ask<{ secret: string }>(server, `${GRID}/keys/${rotated?.id}/rotate`, { method: 'POST' })
    secrets.push(renewed.body.secret)
    expect((await ask(server, GRID, withKey(renewed.body.secret))).status).toBe(200)
    await expect.poll(() => Date.now() > Date.parse(expiresAt), { timeout: 5_000 }).toBe(true)
    for (const { secret } of keys) expectProblem(await ask(server, GRID, withKey(secret)), 401, 'invalid-credential')
  })

  it('is never shown again, nor kept in a readable form', async () => {
    const { body } = await ask<{ items: { prefix: string }[] }>(server, `${GRID}/keys`)
    expect(body.items.length).toBeGreaterThan(5)
    const shown = JSON.stringify(body)
    const files = (await readdir(dataDir)).filter((name) => name.startsWith('control.sqlite'))
    const kept = Buffer.concat(await Promise.all(files.map((name) => readFile(join(dataDir, name)))))
    expect(kept.includes('Owner, made at the first start')).toBe(true)
    for (const secret of secrets) expect(shown.includes(secret) || kept.includes(secret)).toBe(false)
  })
})

describe('a token', () => {
  it('of the server itself is believed, one that only looks like it is not', async () => {
    const client = await make<{ id: string }>('/apm/clients', { name: 'forger' }, admin)
    await make(`${GRID}/members/${client.id}`, { role: 'Guest' }, { method: 'PUT' })
    const forge = await openForge(dataDir, server.url, client.id)
    expect((await ask(server, GRID, bearer(await forge.genuine()))).status).toBe(200)

    const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds
    const tokens = {
      expired: await forge.genuine({ claims: { exp: inSeconds(-60) } }),
      'not valid yet': await forge.genuine({ claims: { nbf: inSeconds(60) } }),
      'of another issuer': await forge.genuine({ claims: { iss: 'https://issuer.example.com' } }),
      'for another audience': await forge.genuine({ claims: { aud: 'https://api.example.com' } }),
      'of an unknown subject': await forge.genuine({ claims: { sub: 'nobody', client_id: 'nobody' } }),
      'of an unknown key': await forge.genuine({ header: { kid: 'unknown' } }),
      'that is no access token': await forge.genuine({ header: { typ: 'JWT' } }),
      'signed by a stranger': await forge.byStranger(),
      'signed with the public key': await forge.byPublicKey(),
      altered: await forge.altered(),
      unsigned: forge.unsigned('none'),
      'unsigned in disguise': forge.unsigned('NONE'),
      'unsigned at all': forge.unsigned('ES256'),
      'no token': 'x',
    }
    for (const [what, token] of Object.entries(tokens)) {
      const answer = await ask(server, GRID, bearer(token))
      expect(answer.status, what).toBe(401)
      expectProblem(answer, 401, 'invalid-credential')
      expect(answer.headers.get('www-authenticate')).toContain('Bearer')
    }
    for (const authorization of ['Bearer', 'Basic eDp5', 'Bearer a b']) {
      const answer = await ask(server, GRID, { headers: { 'api-key': undefined, authorization } })
      expectProblem(answer, 401, 'invalid-credential')
    }
  })

  it('is got by client credentials, and needs a role on the Grid', async () => {
    const client = await make<{ id: string; secret: string }>('/apm/clients', { name: 'machine' }, admin)
    await expect(clientToken(server, client.id, 'not the secret')).rejects.toThrow()
    const machine = bearer(await clientToken(server, client.id, client.secret))
    for (const path of readingPaths(GRID_ID)) expectProblem(await ask(server, path, machine), 403, 'no-access')
    await make(`${GRID}/members/${client.id}`, { role: 'User' }, { method: 'PUT' })
    for (const path of readingPaths(GRID_ID)) expect((await ask(server, path, machine)).status, path).toBe(200)
    expect((await ask(server, `/apm/clients/${client.id}`, { method: 'DELETE', ...admin })).status).toBe(204)
    expectProblem(await ask(server, GRID, machine), 401, 'invalid-credential')
  })

  it('is got by signing in, and a Guest reads and does not manage', async () => {
    const person = { email: 'guest@example.com', password: PASSWORD }
    await make('/apm/users', { ...person, name: 'Guest' }, admin)
    const { accessToken, refreshToken, refresh } = await signIn(server, person)
    expectProblem(await ask(server, GRID, bearer(accessToken)), 403, 'no-access')
    await make(`${GRID}/members/${person.email}`, { role: 'Guest' }, { method: 'PUT' })

    const refreshed = await refresh(refreshToken)
    for (const token of [accessToken, refreshed.accessToken]) {
      for (const path of readingPaths(GRID_ID)) expect((await ask(server, path, bearer(token))).status).toBe(200)
      for (const path of managingPaths(GRID_ID)) {
        expectProblem(await ask(server, path, bearer(token)), 403, 'insufficient-role')
      }
      expectProblem(await ask(server, '/apm/users', bearer(token)), 403, 'administrators-only')
      expectProblem(await ask(server, `/apm/traces/${otherGrid}/filters`, bearer(token)), 403, 'no-access')
    }
    const { body } = await ask<{ items: object[] }>(server, '/apm/grids', bearer(accessToken))
    expect(body.items).toMatchObject([{ gridSecondaryId: GRID_ID, role: 'Guest' }])
    secrets.push(accessToken, refreshToken, refreshed.accessToken, refreshed.refreshToken)
    await expect(refresh(refreshToken), 'a refresh token that was used').rejects.toThrow()
    await expect(refresh(refreshed.refreshToken), 'its successor, then').rejects.toThrow()
  })

  it('is not got with a wrong password', async () => {
    await expect(signIn(server, { email: 'guest@example.com', password: 'not the password' })).rejects.toThrow()
  })

  it('of the administrator manages every Grid, and says plainly which do not exist', async () => {
    const person = { email: 'admin@localhost', password: ADMIN_PASSWORD }
    for (const asking of [admin, bearer((await signIn(server, person)).accessToken)]) {
      expect((await ask(server, `/apm/grids/${otherGrid}`, asking)).status).toBe(200)
      expectProblem(await ask(server, `/apm/grids/${UNKNOWN_GRID}`, asking), 404, 'unknown-grid')
      expect((await ask(server, '/apm/users', asking)).status).toBe(200)
    }
  })
})

it("a Grid's own rate limit wins over the server's, and says when to come back", async () => {
  const limits = { requestsPerMinuteCaller: 5, requestsPerMinuteGrid: 1000, recordsPerSecond: null }
  await make(`/apm/grids/${otherGrid}/limits`, limits, { method: 'PUT', ...admin })
  const limited = withKey((await makeKey(otherGrid, {}, admin)).secret)
  const asked = await Promise.all(
    Array.from({ length: 8 }, () => ask(server, `/apm/traces/${otherGrid}/filters`, limited)),
  )
  expect(asked.filter(({ status }) => status === 200)).toHaveLength(5)
  const refused = asked.filter(({ status }) => status !== 200)
  for (const answer of refused) {
    expectProblem(answer, 429, 'rate-limit-exceeded')
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(answer.headers.get('ratelimit-limit')).toBe('5')
    expect(answer.headers.get('ratelimit-remaining')).toBe('0')
  }
  expect((await ask(server, GRID)).status, 'other Grids do not notice').toBe(200)
})

it('whoever guesses keys is slowed down, and whoever has one is not', async () => {
  const guesses = Array.from({ length: 40 }, (_, i) => ask(server, GRID, withKey(`a guess of a key, number ${i}`)))
  const answers = await Promise.all(guesses)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]))
  const slowed = answers.find(({ status }) => status === 429)
  expect(slowed?.body).toMatchObject({ type: 'urn:faultline:problem:too-many-failed-authentications' })
  expect(Number(slowed?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  expect((await ask(server, GRID)).status).toBe(200)
})

it('no secret has come into the log', () => {
  expect(secrets.length).toBeGreaterThan(12)
  for (const secret of secrets) expect(server.output()).not.toContain(secret)
})
