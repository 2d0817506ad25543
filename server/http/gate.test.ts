import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Role } from '../control/control-store.ts'
import { createMemoryStore } from '../storage/memory/memory-store.ts'
import { createTestApp, NOW_MS, problem, type TestApp } from './testing/test-app.ts'

let test: TestApp
beforeEach(async () => {
  test = await createTestApp()
})
afterEach(() => test.app.close())

const filters = () => `/apm/traces/${test.gridId}/filters`

describe('the version', () => {
  const asked = async (query: string, version?: string) => {
    const headers = { ...(await test.key()), ...(version === undefined ? {} : { 'x-api-version': version }) }
    const response = await test.app.inject({ url: `${filters()}${query}`, headers })
    return { status: response.statusCode, body: response.json(), headers: response.headers }
  }

  it('is taken from the query, from the header, or from both where they agree', async () => {
    for (const answer of [
      await asked('?api-version=2.0'),
      await asked('', '2.0'),
      await asked('?api-version=2.0', '2.0'),
    ]) {
      expect(answer).toMatchObject({ status: 200, headers: { 'api-supported-versions': '2.0' } })
    }
  })

  it('is required', async () => {
    expect(await asked('')).toMatchObject({
      ...problem('missing-version'),
      headers: { 'api-supported-versions': '2.0' },
    })
    expect(await asked('?api-version=', '')).toMatchObject(problem('missing-version'))
  })

  it('must be supported, and the answer names what is', async () => {
    for (const answer of [await asked('?api-version=1.0'), await asked('', '2'), await asked('?api-version=2.0.0')]) {
      expect(answer).toMatchObject(problem('unsupported-version'))
      expect(answer.body.detail).toContain('2.0')
    }
  })

  it('must not be given twice with different values', async () => {
    expect(await asked('?api-version=2.0', '1.0')).toMatchObject(problem('conflicting-versions'))
    expect(await asked('?api-version=1.0', '2.0')).toMatchObject(problem('conflicting-versions'))
    expect(await asked('?api-version=2.0&api-version=3.0')).toMatchObject(problem('conflicting-versions'))
  })
})

describe('authentication', () => {
  it('is asked for with a challenge', async () => {
    const answer = await test.ask({ url: filters() })
    expect(answer).toMatchObject(problem('missing-credential'))
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer /)
  })

  it('refuses unknown keys and tokens', async () => {
    const url = filters()
    for (const headers of [
      { 'api-key': 'wrong' },
      { authorization: 'Bearer wrong' },
      { authorization: 'Basic eDp5' },
    ]) {
      const answer = await test.ask({ url, headers })
      expect(answer).toMatchObject(problem('invalid-credential'))
      expect(answer.headers['www-authenticate']).toContain('invalid_token')
    }
  })

  it('ends with a key: revoked and expired ones are refused', async () => {
    const made = { gridId: test.gridId, name: 'x', role: 'Guest' as const, scopes: ['read' as const] }
    const expired = await test.control.keys.create({ ...made, expiresAtMs: 1 })
    const revoked = await test.control.keys.create({ ...made, expiresAtMs: Date.UTC(2200, 0) })
    const asked = (secret: string) => test.ask({ url: filters(), headers: { 'api-key': secret } })
    expect(await asked(expired.secret)).toMatchObject(problem('invalid-credential'))
    expect((await asked(revoked.secret)).status).toBe(200)
    await test.control.keys.revoke(test.gridId, revoked.key.id, NOW_MS)
    expect(await asked(revoked.secret)).toMatchObject(problem('invalid-credential'))
  })

  it('answers an address that fails too often with 429, but never a valid credential', async () => {
    const wrong = { url: filters(), headers: { 'api-key': 'wrong' } }
    for (let n = 0; n < 30; n++) expect((await test.ask(wrong)).status).toBe(401)
    expect(await test.ask(wrong)).toMatchObject({
      ...problem('too-many-failed-authentications'),
      headers: { 'retry-after': '2' },
    })
    expect((await test.ask({ url: filters(), headers: await test.key() })).status).toBe(200)
    expect((await test.ask({ ...wrong, remoteAddress: '192.0.2.7' })).status).toBe(401)
    test.setNow(NOW_MS + 2000)
    expect((await test.ask(wrong)).status).toBe(401)
  })

  it('counts failures from one /64 of IPv6 as one address', async () => {
    const wrong = (remoteAddress: string) =>
      test.ask({ url: filters(), headers: { 'api-key': 'wrong' }, remoteAddress })
    for (let n = 0; n < 30; n++) await wrong(`2001:db8:0:1::${n.toString(16)}`)
    expect((await wrong('2001:db8:0:1:a:b:c:d')).status).toBe(429)
    expect((await wrong('2001:db8:0:2::1')).status).toBe(401)
  })

  it('does not count requests that bring no credential', async () => {
    for (let n = 0; n < 40; n++) expect((await test.ask({ url: filters() })).status).toBe(401)
  })
})

describe('access to a Grid', () => {
  it('takes its id in any letter case', async () => {
    const url = `/apm/traces/${test.gridId.toUpperCase()}/filters`
    expect((await test.ask({ url, headers: await test.key() })).status).toBe(200)
  })

  it.each(['x', '0b5f0a526a5c4c1e9d8e3c1f6a7d2e11', '0b5f0a52-6a5c-4c1e-9d8e-3c1f6a7d2e1g', '%00'])(
    'refuses %s as an id',
    async (id) => {
      const answer = await test.ask({ url: `/apm/traces/${id}/filters`, headers: await test.key() })
      expect(answer).toMatchObject(problem('malformed-grid-id'))
    },
  )

  it('says the same of a Grid of others and of one that does not exist', async () => {
    const other = await test.control.grids.create({ name: 'other' })
    await test.control.grids.update(other.id, { subscriptionState: 'expired' })
    for (const headers of [await test.key(), await test.person('stranger')]) {
      const answers = await Promise.all(
        [other.id, '00000000-0000-0000-0000-000000000000'].map((id) =>
          test.ask({ url: `/apm/traces/${id}/filters`, headers }),
        ),
      )
      expect(answers[0]).toMatchObject(problem('no-access'))
      expect(answers[0]?.detail).toBe(answers[1]?.detail)
      expect(answers[1]).toMatchObject(problem('no-access'))
    }
  })

  it.each(['suspended', 'expired'] as const)('needs a subscription that is not %s', async (subscriptionState) => {
    await test.control.grids.update(test.gridId, { subscriptionState })
    const headers = await test.key()
    const health = `/apm/diagnostics/${test.gridId}/health`
    expect(await test.ask({ url: filters(), headers })).toMatchObject(problem('no-active-subscription'))
    expect(await test.ask({ url: health, headers })).toMatchObject(problem('no-active-subscription'))
    expect((await test.ask({ url: `/apm/grids/${test.gridId}`, headers })).status).toBe(200)
  })

  it('lets every role read, and only Owners manage', async () => {
    const keys = `/apm/grids/${test.gridId}/keys`
    for (const role of ['Owner', 'Member', 'User', 'Guest'] satisfies Role[]) {
      for (const headers of [await test.key(role), await test.person(role, { role })]) {
        expect((await test.ask({ url: filters(), headers })).status).toBe(200)
        expect((await test.ask({ url: keys, headers })).status).toBe(role === 'Owner' ? 200 : 403)
      }
    }
  })

  it('asks of a key the scope, also where its role would do', async () => {
    const keys = `/apm/grids/${test.gridId}/keys`
    const [reads, manages] = [await test.key('Owner', ['read']), await test.key('Owner', ['manage'])]
    expect(await test.ask({ url: keys, headers: reads })).toMatchObject(problem('missing-scope'))
    expect(await test.ask({ url: filters(), headers: manages })).toMatchObject(problem('missing-scope'))
  })

  it('lets an administrator act as an Owner, and tells which Grid does not exist', async () => {
    const headers = await test.person('root', { admin: true })
    expect((await test.ask({ url: `/apm/grids/${test.gridId}/keys`, headers })).status).toBe(200)
    const nowhere = '/apm/traces/00000000-0000-0000-0000-000000000000/filters'
    expect(await test.ask({ url: nowhere, headers })).toMatchObject(problem('unknown-grid'))
  })

  it('gives a route the telemetry of the Grid that was named, and of no other', async () => {
    const asked: string[] = []
    const reader = (id: string) => {
      asked.push(id)
      throw new Error('far enough')
    }
    const own = await createTestApp({ telemetry: { ...createMemoryStore(), reader } })
    await own.ask({ url: `/apm/traces/${own.gridId.toUpperCase()}/filters`, headers: await own.key() })
    await own.app.close()
    expect(asked).toEqual([own.gridId])
  })
})
