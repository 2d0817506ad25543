import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestApp, NOW_MS, problem, type TestApp } from '../testing/test-app.ts'

let test: TestApp
let owner: Record<string, string>
let admin: Record<string, string>

beforeAll(async () => {
  test = await createTestApp()
})
beforeEach(async () => {
  await test.useNewGrid()
  owner = await test.person(`olga-${test.gridId}`, { role: 'Owner' })
  admin = await test.person('root', { admin: true })
})
afterAll(() => test.app.close())

const send = (method: 'POST' | 'PUT', url: string, headers: Record<string, string>, payload: object) =>
  test.ask({ method, url, headers, payload })
const remove = (url: string, headers: Record<string, string>) => test.ask({ method: 'DELETE', url, headers })
const grid = () => `/apm/grids/${test.gridId}`

describe('Grids', () => {
  it('are listed for whom they concern, with the role', async () => {
    const other = await test.control.grids.create({ name: 'other' })
    await test.control.members.put({ gridId: other.id, subject: `olga-${test.gridId}`, role: 'Guest' })
    const listed = async (headers: Record<string, string>) => {
      const { body } = await test.ask({ url: '/apm/grids', headers })
      const items = body.items as { gridSecondaryId: string; role: string }[]
      expect(body.totalCount).toBe(items.length)
      return items.map(({ gridSecondaryId, role }): [string, string] => [gridSecondaryId, role])
    }
    expect(new Map(await listed(owner))).toEqual(
      new Map([
        [test.gridId, 'Owner'],
        [other.id, 'Guest'],
      ]),
    )
    expect(await listed(await test.key('User', ['ingest']))).toEqual([[test.gridId, 'User']])
    expect(await listed(await test.person('stranger'))).toEqual([])
    expect(await listed(admin)).toEqual(
      expect.arrayContaining([
        [test.gridId, 'Owner'],
        [other.id, 'Owner'],
      ]),
    )
  })

  it('are created by administrators only', async () => {
    expect(await send('POST', '/apm/grids', owner, { name: 'mine' })).toMatchObject(problem('administrators-only'))
    expect(await send('POST', '/apm/grids', await test.key(), { name: 'mine' })).toMatchObject(
      problem('administrators-only'),
    )
    const created = await send('POST', '/apm/grids', admin, { name: 'new' })
    expect(created).toMatchObject({ status: 201, body: { name: 'new', role: 'Owner' } })
    const found = await test.ask({ url: `/apm/grids/${created.body.gridSecondaryId}`, headers: admin })
    expect(found.body).toEqual(created.body)
  })

  it('may be given an id, which must be a new UUID', async () => {
    const gridSecondaryId = 'ABCDEF00-0000-4000-8000-000000000000'
    const create = () => send('POST', '/apm/grids', admin, { name: 'x', gridSecondaryId })
    expect((await create()).body).toMatchObject({ gridSecondaryId: gridSecondaryId.toLowerCase() })
    expect(await create()).toMatchObject(problem('already-exists'))
    expect(await send('POST', '/apm/grids', admin, { name: 'x', gridSecondaryId: 'x' })).toMatchObject(
      problem('invalid-body'),
    )
  })

  it('show everything there is to set', async () => {
    expect((await test.ask({ url: grid(), headers: await test.key('Guest', ['read']) })).body).toEqual({
      gridSecondaryId: test.gridId,
      name: 'test',
      role: 'Guest',
      createdAt: expect.stringMatching(/Z$/),
      subscription: { plan: 'standard', state: 'active' },
      retention: { rawDays: 7, aggregateDays: 90, diskSharePercent: null },
      limits: { requestsPerMinuteCaller: null, requestsPerMinuteGrid: null, recordsPerSecond: null },
      apdex: { defaultMs: 500, services: {} },
    })
  })

  it.each([
    ['subscription', { plan: 'large', state: 'suspended' }],
    ['retention', { rawDays: 3, aggregateDays: 30, diskSharePercent: 12.5 }],
    ['limits', { requestsPerMinuteCaller: 10, requestsPerMinuteGrid: null, recordsPerSecond: 5000 }],
    ['apdex', { defaultMs: 300, services: { checkout: 1000 } }],
  ])('have their %s set by an Owner', async (setting, value) => {
    const answer = await send('PUT', `${grid()}/${setting}`, owner, value)
    expect(answer).toMatchObject({ status: 200, body: { [setting]: value, role: 'Owner' } })
    expect((await test.ask({ url: grid(), headers: owner })).body[setting]).toEqual(value)
    const member = await test.person('mia', { role: 'Member' })
    expect(await send('PUT', `${grid()}/${setting}`, member, value)).toMatchObject(problem('insufficient-role'))
  })

  it('keep their share of the disk where a retention does not mention it', async () => {
    await send('PUT', `${grid()}/retention`, owner, { rawDays: 3, aggregateDays: 30, diskSharePercent: 12.5 })
    const mentioned = async (share: object) =>
      (await send('PUT', `${grid()}/retention`, owner, { rawDays: 3, aggregateDays: 30, ...share })).body['retention']
    expect(await mentioned({})).toMatchObject({ diskSharePercent: 12.5 })
    expect(await mentioned({ diskSharePercent: null })).toMatchObject({ diskSharePercent: null })
    for (const diskSharePercent of [0, -1, 100.1, 'all'])
      expect(
        await send('PUT', `${grid()}/retention`, owner, { rawDays: 3, aggregateDays: 30, diskSharePercent }),
      ).toMatchObject({
        ...problem('invalid-body'),
        body: { detail: 'diskSharePercent must be a number above 0 up to 100 or null.' },
      })
  })

  it('tell what they take of the disk, what they may take, and since when telemetry is kept', async () => {
    const usage = async () => (await test.ask({ url: `${grid()}/usage`, headers: owner })).body
    const nothing = {
      bytes: 0,
      budgetBytes: null,
      serverBudgetBytes: 1_000_000_000,
      rawSince: null,
      aggregatesSince: null,
    }
    expect(await usage()).toEqual(nothing)
    await test.control.grids.update(test.gridId, { diskSharePercent: 12.5 })
    await test.write([{ atMs: 5 }])
    const since = '2026-03-01T10:00:00.000Z'
    expect(await usage()).toEqual({ ...nothing, budgetBytes: 125_000_000, rawSince: since, aggregatesSince: since })
  })

  it('are renamed by an Owner', async () => {
    const answer = await send('PUT', grid(), owner, { name: 'another' })
    expect(answer).toMatchObject({ status: 200, body: { name: 'another', gridSecondaryId: test.gridId } })
    expect(await test.control.grids.find(test.gridId)).toMatchObject({ name: 'another' })
    expect(await send('PUT', grid(), owner, { name: ' ' })).toMatchObject(problem('invalid-body'))
  })

  it('are removed by an Owner with all that belongs to them, and stay in the audit', async () => {
    const key = await test.key()
    await test.person('mia', { role: 'Member' })
    const old = test.gridId
    expect((await remove(grid(), owner)).status).toBe(204)
    expect((await test.ask({ url: grid(), headers: key })).status).toBe(401)
    expect(await test.ask({ url: grid(), headers: await test.person('mia') })).toMatchObject(problem('no-access'))
    expect(await test.ask({ url: grid(), headers: admin })).toMatchObject(problem('unknown-grid'))
    expect(await remove(grid(), admin)).toMatchObject(problem('unknown-grid'))
    expect(await send('POST', '/apm/grids', admin, { name: 'again', gridSecondaryId: old })).toMatchObject(
      problem('already-exists'),
    )
    const { body } = await test.ask({ url: '/apm/audit', headers: admin })
    expect(body.items).toContainEqual(expect.objectContaining({ action: 'Remove a Grid', gridSecondaryId: old }))
  })

  it('can be brought back to life after their subscription ended', async () => {
    await test.control.grids.update(test.gridId, { subscriptionState: 'expired' })
    const answer = await send('PUT', `${grid()}/subscription`, owner, { plan: 'standard', state: 'active' })
    expect(answer).toMatchObject({ status: 200, body: { subscription: { state: 'active' } } })
  })

  it.each([
    ['subscription', { plan: 'x', state: 'paused' }, 'state must be one of active, trial, suspended, expired.'],
    ['subscription', { plan: ' ', state: 'active' }, 'plan must be a string of 1 to 100 characters.'],
    ['retention', { rawDays: 0, aggregateDays: 1 }, 'rawDays must be an integer of 1 to 3650.'],
    ['retention', { rawDays: 1 }, 'aggregateDays is required: an integer of 1 to 3650.'],
    ['limits', { requestsPerMinuteCaller: '5' }, /^requestsPerMinuteGrid is required|requestsPerMinuteCaller must be/],
    ['apdex', { defaultMs: 500, services: { a: 0 } }, 'services.a must be an integer of 1 to 3600000.'],
    ['apdex', { defaultMs: 500, services: {}, extra: 1 }, 'Unknown: extra. Accepted: defaultMs, services.'],
  ])('refuse a wrong %s %j', async (setting, value, detail) => {
    const answer = await send('PUT', `${grid()}/${setting}`, owner, value)
    expect(answer).toMatchObject(problem('invalid-body'))
    expect(answer.detail).toMatch(detail)
  })
})

describe('keys', () => {
  const wanted = { name: 'ci', role: 'Member', scopes: ['read', 'ingest'] }

  it('show their secret once, when they are made', async () => {
    const created = await send('POST', `${grid()}/keys`, owner, { ...wanted, expiresAt: '2200-06-01T00:00:00+02:00' })
    expect(created).toMatchObject({
      status: 201,
      body: { ...wanted, expiresAt: '2200-05-31T22:00:00.000Z', revokedAt: null },
    })
    const secret = String(created.body.secret)
    expect((await test.ask({ url: grid(), headers: { 'api-key': secret } })).status).toBe(200)
    const listed = await test.ask({ url: `${grid()}/keys`, headers: owner })
    expect(listed.body).toMatchObject({ items: [{ name: 'ci', prefix: secret.slice(0, 12) }], totalCount: 1 })
    expect(listed.text).not.toContain(secret)
  })

  it('stop working with the old secret once they are rotated, and at all once they are revoked', async () => {
    const { body } = await send('POST', `${grid()}/keys`, owner, wanted)
    const works = async (secret: unknown) =>
      (await test.ask({ url: grid(), headers: { 'api-key': String(secret) } })).status === 200
    const rotated = await test.ask({ method: 'POST', url: `${grid()}/keys/${body.id}/rotate`, headers: owner })
    expect(rotated).toMatchObject({ status: 200, body: { id: body.id } })
    expect([await works(body.secret), await works(rotated.body.secret)]).toEqual([false, true])
    expect(await remove(`${grid()}/keys/${body.id}`, owner)).toMatchObject({ status: 204, text: '' })
    expect(await works(rotated.body.secret)).toBe(false)
  })

  it('of others are unknown', async () => {
    const other = await test.control.grids.create({ name: 'other' })
    const made = { gridId: other.id, name: 'x', role: 'Owner', scopes: ['read'], expiresAtMs: null } as const
    const { key } = await test.control.keys.create({ ...made, scopes: [...made.scopes] })
    expect(await remove(`${grid()}/keys/${key.id}`, owner)).toMatchObject(problem('unknown-key'))
    const rotate = { method: 'POST', url: `${grid()}/keys/${key.id}/rotate`, headers: owner } as const
    expect(await test.ask(rotate)).toMatchObject(problem('unknown-key'))
  })

  it.each([
    [{ ...wanted, role: 'owner' }, 'role must be one of Owner, Member, User, Guest.'],
    [{ ...wanted, scopes: [] }, /^scopes must be an array of 1 to 3 different items: one of read, ingest, manage/],
    [{ ...wanted, scopes: ['read', 'read'] }, /^scopes must be/],
    [{ ...wanted, scopes: ['write'] }, 'scopes.0 must be one of read, ingest, manage.'],
    [{ ...wanted, expiresAt: 'soon' }, /^expiresAt must be an ISO 8601 datetime such as .* or null/],
    [{ ...wanted, expiresAt: new Date(NOW_MS).toISOString() }, 'expiresAt must be in the future.'],
    [{ ...wanted, secret: 'my own' }, /^Unknown: secret/],
  ])('are refused as %j', async (key, detail) => {
    const answer = await send('POST', `${grid()}/keys`, owner, key)
    expect(answer).toMatchObject(problem('invalid-body'))
    expect(answer.detail).toMatch(detail)
  })

  it('need an Owner’s key with the scope manage', async () => {
    const request = { url: `${grid()}/keys` }
    expect((await test.ask({ ...request, headers: await test.key('Owner', ['manage']) })).status).toBe(200)
    expect((await test.ask({ ...request, headers: await test.key('Owner', ['read']) })).status).toBe(403)
    expect((await test.ask({ ...request, headers: await test.key('Member', ['manage']) })).status).toBe(403)
  })
})

describe('members', () => {
  it('are added, changed and removed by any name, however it is written', async () => {
    const subject = 'https://id.example/ada lovelace+1@example.com'
    const url = `${grid()}/members/${encodeURIComponent(subject)}`
    expect(await send('PUT', url, owner, { role: 'Guest' })).toMatchObject({
      status: 200,
      body: { subject, role: 'Guest' },
    })
    expect(await send('PUT', url, owner, { role: 'Member' })).toMatchObject({ body: { role: 'Member' } })
    expect((await test.ask({ url: `${grid()}/members`, headers: owner })).body).toMatchObject({
      items: [{ subject: `olga-${test.gridId}` }, { subject, role: 'Member' }],
      totalCount: 2,
    })
    expect((await remove(url, owner)).status).toBe(204)
    expect(await remove(url, owner)).toMatchObject(problem('unknown-member'))
  })

  it('are refused with names that cannot be stored', async () => {
    expect(await send('PUT', `${grid()}/members/a%00b`, owner, { role: 'Guest' })).toMatchObject({ status: 400 })
    expect(await send('PUT', `${grid()}/members/%20`, owner, { role: 'Guest' })).toMatchObject(
      problem('invalid-parameter'),
    )
  })

  it('lose their access at once', async () => {
    const guest = await test.person('gus', { role: 'Guest' })
    expect((await test.ask({ url: grid(), headers: guest })).status).toBe(200)
    await remove(`${grid()}/members/gus`, owner)
    expect(await test.ask({ url: grid(), headers: guest })).toMatchObject(problem('no-access'))
  })
})

describe('users and clients', () => {
  const ada = { email: 'ada@example.com', name: 'Ada', password: 'correct horse' }

  it('are for administrators only', async () => {
    for (const url of ['/apm/users', '/apm/clients']) {
      for (const headers of [owner, await test.key()]) {
        expect(await test.ask({ url, headers })).toMatchObject(problem('administrators-only'))
        expect(await send('POST', url, headers, {})).toMatchObject(problem('administrators-only'))
        expect(await remove(`${url}/x`, headers)).toMatchObject(problem('administrators-only'))
      }
    }
  })

  it('are made, listed and removed; a user’s password is never shown', async () => {
    const created = await send('POST', '/apm/users', admin, ada)
    expect(created).toMatchObject({ status: 201, body: { email: ada.email, name: ada.name, admin: false } })
    const listed = await test.ask({ url: '/apm/users', headers: admin })
    expect(listed.body).toEqual({ items: [created.body], totalCount: 1 })
    expect(listed.text + created.text).not.toContain(ada.password)
    expect(await send('POST', '/apm/users', admin, ada)).toMatchObject(problem('already-exists'))
    expect((await remove(`/apm/users/${created.body.id}`, admin)).status).toBe(204)
    expect(await remove(`/apm/users/${created.body.id}`, admin)).toMatchObject(problem('unknown-user'))
  })

  it('cannot remove themselves', async () => {
    expect(await remove('/apm/users/root', admin)).toMatchObject(problem('own-account'))
  })

  it.each([
    [{ ...ada, email: 'ada' }, 'email must be an e-mail address.'],
    [{ ...ada, password: 'short' }, 'password must be a string of 10 to 1000 characters.'],
    [{ ...ada, admin: 'yes' }, 'admin must be a boolean.'],
  ])('are refused as %j', async (user, detail) => {
    expect(await send('POST', '/apm/users', admin, user)).toMatchObject({ ...problem('invalid-body'), detail })
  })

  it('show the secret of a client once', async () => {
    const created = await send('POST', '/apm/clients', admin, { name: 'ci' })
    expect(created).toMatchObject({ status: 201, body: { name: 'ci', admin: false, secret: expect.any(String) } })
    const listed = await test.ask({ url: '/apm/clients', headers: admin })
    expect(listed.body).toMatchObject({ items: [{ id: created.body.id, name: 'ci' }], totalCount: 1 })
    expect(listed.text).not.toContain(created.body.secret)
    expect((await remove(`/apm/clients/${created.body.id}`, admin)).status).toBe(204)
    expect(await remove(`/apm/clients/${created.body.id}`, admin)).toMatchObject(problem('unknown-client'))
  })
})
