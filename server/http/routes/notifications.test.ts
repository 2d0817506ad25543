import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { FAIL, openReceiver, type Receiver, TAKE } from '../../notify/testing/receiver.ts'
import { createTestApp, NOW_MS, problem, type TestApp } from '../testing/test-app.ts'

let test: TestApp
let receiver: Receiver
let member: Record<string, string>
let guest: Record<string, string>

beforeAll(async () => {
  test = await createTestApp()
  receiver = await openReceiver()
})
beforeEach(async () => {
  await test.useNewGrid()
  receiver.answer = TAKE
  receiver.received.length = 0
  member = await test.key('Member', ['read', 'manage'])
  guest = await test.key('Guest', ['read', 'manage'])
})
afterAll(async () => {
  await receiver.close()
  await test.app.close()
})

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
const ask = (method: Method, path: string, payload?: object, headers = member) =>
  test.ask({ method, url: `/apm/grids/${test.gridId}/${path}`, headers, ...(payload && { payload }) })

const EMAIL = { host: 'smtp.example.com', from: 'faultline@example.com', to: ['oncall@example.com'] }
const SECRET = 'a-secret-of-sixteen-or-more'
const iso = (ms: number) => new Date(ms).toISOString()

describe('a channel', () => {
  it('is made, seen, changed and removed by a Member', async () => {
    const created = await ask('POST', 'channels', { name: 'Pager', webhook: { url: 'https://a.example/x?token=t1' } })
    expect(created).toMatchObject({ status: 201, body: { name: 'Pager', kind: 'webhook', slack: null, email: null } })
    expect(created.body['webhook']).toEqual({ url: 'https://a.example/x?…' })
    expect(created.body['signingSecret']).toMatch(/^fls_.{40,}$/)
    const path = `channels/${created.body.id}`
    const { signingSecret, ...shown } = created.body
    expect((await ask('GET', path)).body).toEqual(shown)
    const changed = await ask('PUT', path, { name: 'Pager 2', webhook: { url: 'http://b.example/' } })
    expect(changed).toMatchObject({ status: 200, body: { name: 'Pager 2', webhook: { url: 'http://b.example/' } } })
    expect(await test.control.channels.secretOf(test.gridId, created.body.id)).toBe(signingSecret)
    expect((await ask('GET', 'channels')).body).toMatchObject({ items: [{ name: 'Pager 2' }], totalCount: 1 })
    expect(await ask('DELETE', path)).toMatchObject({ status: 204 })
    for (const [method, more] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/deliveries'],
      ['POST', '/test'],
    ] as const)
      expect(await ask(method, `${path}${more}`)).toMatchObject(problem('unknown-channel'))
  })

  it('never tells a secret again, not even to the audit log', async () => {
    const slack = { url: 'https://hooks.example/services/T0/B0/very-secret' }
    await ask('POST', 'channels', { name: 'a', webhook: { url: 'https://a.example', signingSecret: SECRET } })
    const chat = await ask('POST', 'channels', { name: 'b', slack })
    await ask('POST', 'channels', { name: 'c', email: { ...EMAIL, username: 'me', password: SECRET } })
    expect(chat.body).toMatchObject({ kind: 'slack', slack: { url: 'https://hooks.example/…' }, signingSecret: null })
    const list = await ask('GET', 'channels')
    expect(list.body.totalCount).toBe(3)
    expect(list.body.items).toContainEqual(
      expect.objectContaining({ email: { ...EMAIL, port: 587, security: 'starttls', username: 'me' } }),
    )
    const owner = await test.key('Owner')
    const audit = await ask('GET', 'audit', undefined, owner)
    expect(audit.body.totalCount).toBe(3)
    for (const text of [list.text, audit.text, test.logged.join('')]) {
      expect(text).not.toContain(SECRET)
      expect(text).not.toContain('very-secret')
    }
    await ask('PUT', `channels/${chat.body.id}`, { name: 'chat', slack: {} })
    expect(await test.control.channels.secretOf(test.gridId, chat.body.id)).toBe(slack.url)
  })

  it.each([
    [{}, 'exactly one of webhook, slack, email'],
    [{ webhook: { url: 'https://a.example' }, slack: { url: 'https://a.example' } }, 'exactly one of'],
    [{ webhook: { url: 'ftp://a.example' } }, 'webhook.url must be a http:// or https:// URL'],
    [{ webhook: { url: 'https://me:pw@a.example' } }, 'webhook.url must have neither user nor fragment'],
    [{ webhook: { url: 'http://169.254.169.254/latest' } }, "inside the server's own network"],
    [{ webhook: { url: 'http://0x7f.0.0.2/' } }, "inside the server's own network"],
    [{ slack: { url: 'http://[::1]/' } }, "inside the server's own network"],
    [{ slack: {} }, 'slack.url'],
    [{ webhook: { url: 'https://a.example', signingSecret: 'short' } }, 'A secret needs 16'],
    [{ email: { ...EMAIL, host: '10.0.0.1' } }, "inside the server's own network"],
    [{ email: { ...EMAIL, to: [] } }, 'email.to'],
    [{ email: { ...EMAIL, to: ['a@b.example\r\nBcc: x@y.example'] } }, 'email.to'],
    [{ email: { ...EMAIL, security: 'none', username: 'me' } }, 'needs a protected connection'],
  ])('is refused with %j', async (kind, detail) => {
    const refused = await ask('POST', 'channels', { name: 'x', ...kind })
    expect(refused).toMatchObject(problem('invalid-body'))
    expect(refused.detail).toContain(detail)
  })

  it('has a name of its own and keeps its kind, and there is an end to their number', async () => {
    const made = await ask('POST', 'channels', { name: 'n', slack: { url: 'https://a.example' } })
    expect(await ask('POST', 'channels', { name: 'n', email: EMAIL })).toMatchObject(problem('already-exists'))
    const other = await ask('PUT', `channels/${made.body.id}`, { name: 'n', email: EMAIL })
    expect(other.detail).toBe('This channel is of the kind slack.')
    for (let n = 1; n < 50; n++) await ask('POST', 'channels', { name: `n${n}`, email: EMAIL })
    expect((await ask('POST', 'channels', { name: 'one more', email: EMAIL })).detail).toContain('at most 50')
  })

  it('is tested at once, and the log shows what came of it', async () => {
    const webhook = { url: `${receiver.url}/in` }
    const { body: made } = await ask('POST', 'channels', { name: 'Pager', webhook })
    const tested = await ask('POST', `channels/${made.id}/test`)
    expect(tested).toMatchObject({
      status: 200,
      body: { kind: 'test', state: 'delivered', attempts: 1, statusCode: 204, error: '', alerts: [] },
    })
    expect(receiver.received).toMatchObject([{ path: '/in', message: { type: 'test', deliveryId: tested.body.id } }])
    receiver.answer = FAIL
    const failed = await ask('POST', `channels/${made.id}/test`)
    expect(failed.body).toMatchObject({ state: 'given up', statusCode: 503, error: 'The receiver answered 503.' })
    const log = await ask('GET', `channels/${made.id}/deliveries?pageSize=1`)
    expect(log.body).toMatchObject({ items: [failed.body], totalCount: 2, page: 1, pageSize: 1 })
  })
})

describe('a silence', () => {
  it('is made, listed and ended', async () => {
    const endsAt = iso(NOW_MS + 3_600_000)
    const made = await ask('POST', 'silences', { serviceName: 'cart', reason: 'maintenance', endsAt })
    expect(made).toMatchObject({
      status: 201,
      body: { ruleId: null, serviceName: 'cart', createdBy: 'API key test', startsAt: iso(NOW_MS), endsAt },
    })
    expect((await ask('GET', 'silences', undefined, guest)).body).toEqual({ items: [made.body], totalCount: 1 })
    expect(await ask('DELETE', `silences/${made.body.id}`)).toMatchObject({ status: 204 })
    expect((await ask('GET', 'silences')).body.totalCount).toBe(0)
    expect(await ask('DELETE', `silences/${made.body.id}`)).toMatchObject(problem('unknown-silence'))
  })

  it('that is to come leaves alone those that last', async () => {
    const hours = (count: number) => iso(NOW_MS + count * 3_600_000)
    await ask('POST', 'silences', { endsAt: hours(1) })
    await ask('POST', 'silences', { startsAt: hours(5), endsAt: hours(6) })
    expect((await ask('GET', 'silences')).body.items).toMatchObject([{ endsAt: hours(1) }, { endsAt: hours(6) }])
  })

  it.each([
    [{}, 'endsAt'],
    [{ endsAt: iso(NOW_MS) }, 'endsAt must be in the future, and after startsAt.'],
    [{ startsAt: iso(NOW_MS + 2000), endsAt: iso(NOW_MS + 1000) }, 'endsAt must be in the future, and after startsAt.'],
    [{ endsAt: iso(NOW_MS + 367 * 86_400_000) }, 'at most 366 days ahead'],
  ])('is refused with %j', async (body, detail) => {
    const refused = await ask('POST', 'silences', body)
    expect(refused).toMatchObject(problem('invalid-body'))
    expect(refused.detail).toContain(detail)
  })
})
