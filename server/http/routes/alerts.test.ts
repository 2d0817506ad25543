import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AlertChange } from '../../control/alert-store.ts'
import { createTestApp, NOW_MS, problem, type TestApp } from '../testing/test-app.ts'

let test: TestApp
let member: Record<string, string>
let user: Record<string, string>
let guest: Record<string, string>

beforeAll(async () => {
  test = await createTestApp()
})
beforeEach(async () => {
  test.setNow(NOW_MS)
  await test.useNewGrid()
  member = await test.key('Member', ['read', 'manage'])
  user = await test.key('User', ['read', 'manage'])
  guest = await test.key('Guest', ['read', 'manage'])
})
afterAll(() => test.app.close())

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
const ask = (method: Method, path: string, headers: Record<string, string>, payload?: object) =>
  test.ask({ method, url: `/apm/grids/${test.gridId}/${path}`, headers, ...(payload && { payload }) })

const RULE = { name: 'Slow carts', metric: 'p95_latency', comparator: '>', threshold: 800 }
const DEFAULTED = {
  ...RULE,
  condition: 'p95_latency > 800ms',
  recoveryThreshold: 800,
  serviceName: null,
  windowMinutes: 5,
  durationMinutes: 2,
  holdMinutes: 2,
  minRequests: 20,
  severity: 'warning',
  noData: 'keep',
  channels: [],
  enabled: true,
}

describe('alert rules', () => {
  it('are there in every Grid, by default', async () => {
    const { body } = await ask('GET', 'alert-rules', guest)
    expect(body.totalCount).toBe(4)
    expect(
      (body.items as { name: string; condition: string }[]).map((rule) => `${rule.name}: ${rule.condition}`),
    ).toEqual([
      'Elevated Latency: p95_latency > 2000ms',
      'High Error Rate: error_rate > 5%',
      'Low Apdex: apdex < 0.5',
      'Service Silent: silence >= 5m',
    ])
  })

  it('are made, seen, changed as a whole and removed by a Member', async () => {
    const created = await ask('POST', 'alert-rules', member, RULE)
    expect(created).toMatchObject({ status: 201, body: DEFAULTED })
    const path = `alert-rules/${created.body.id}`
    expect((await ask('GET', path, guest)).body).toEqual(created.body)
    const change = { ...RULE, threshold: 900, recoveryThreshold: 700, serviceName: 'cart', severity: 'critical' }
    const channel = { name: 'Pager', webhook: { url: 'https://pager.example.com' } }
    const channels = [(await ask('POST', 'channels', member, channel)).body.id]
    const changed = await ask('PUT', path, member, { ...change, channels, noData: 'fire' })
    expect(changed).toMatchObject({ status: 200, body: { ...change, channels, noData: 'fire' } })
    expect((await ask('PUT', path, member, RULE)).body).toMatchObject(DEFAULTED)
    expect(await ask('DELETE', path, member)).toMatchObject({ status: 204, text: '' })
    expect(await ask('GET', path, guest)).toMatchObject(problem('unknown-rule'))
    expect(await ask('DELETE', path, member)).toMatchObject(problem('unknown-rule'))
    expect(await ask('PUT', path, member, RULE)).toMatchObject(problem('unknown-rule'))
  })

  it('need no duration for silence', async () => {
    const silence = { name: 'Quiet', metric: 'silence', comparator: '>=', threshold: 10 }
    expect((await ask('POST', 'alert-rules', member, silence)).body).toMatchObject({ durationMinutes: 0 })
  })

  it('are not for those with a weaker role, nor for keys that may only read', async () => {
    for (const headers of [user, guest]) {
      expect(await ask('POST', 'alert-rules', headers, RULE)).toMatchObject(problem('insufficient-role'))
      expect(await ask('DELETE', 'alert-rules/x', headers)).toMatchObject(problem('insufficient-role'))
    }
    const reader = await test.key('Member', ['read'])
    expect(await ask('POST', 'alert-rules', reader, RULE)).toMatchObject(problem('missing-scope'))
    expect(await ask('GET', 'alert-rules', await test.key('Guest', ['ingest']))).toMatchObject(problem('missing-scope'))
  })

  it('of another Grid are unknown', async () => {
    const other = await test.control.grids.create({ name: 'other' })
    const [rule] = await test.control.alerts.rules.list(other.id)
    expect(await ask('GET', `alert-rules/${rule?.id}`, member)).toMatchObject(problem('unknown-rule'))
    expect(await ask('PUT', `alert-rules/${rule?.id}`, member, RULE)).toMatchObject(problem('unknown-rule'))
    expect(await ask('DELETE', `alert-rules/${rule?.id}`, member)).toMatchObject(problem('unknown-rule'))
  })

  it('have names of their own', async () => {
    expect(await ask('POST', 'alert-rules', member, { ...RULE, name: 'Low Apdex' })).toMatchObject({
      ...problem('already-exists'),
      detail: 'There is already a rule called Low Apdex.',
    })
  })

  it.each([
    [{ comparator: '=' }, 'comparator must be one of >, >=, <, <=.'],
    [{ threshold: '5' }, /^threshold must be a number/],
    [{ name: ' ' }, 'name must be a string of 1 to 200 characters.'],
    [{ name: 'x'.repeat(201) }, 'name must be a string of 1 to 200 characters.'],
    [{ windowMinutes: 61 }, 'windowMinutes must be an integer of 1 to 60.'],
    [{ holdMinutes: 0 }, 'holdMinutes must be an integer of 1 to 60.'],
    [{ durationMinutes: 0.5 }, 'durationMinutes must be an integer of 0 to 60.'],
    [{ minRequests: 0 }, 'minRequests must be an integer of 1 to 1000000.'],
    [{ severity: 'info' }, 'severity must be one of critical, warning.'],
    [{ noData: 'ok' }, 'noData must be one of keep, resolve, fire.'],
    [{ channels: ['a', 'a'] }, /^channels must be an array/],
    [{ channels: ['pager'] }, /^channels: this Grid has no notification channel pager/],
    [{ threshhold: 5 }, /^Unknown: threshhold\. Accepted: name, metric, comparator/],
    [{ metric: 'error_rate', threshold: 500 }, 'threshold of error_rate must be 0 to 100 percent.'],
    [{ metric: 'silence', comparator: '<', threshold: 5 }, 'comparator of silence must be one of >, >=.'],
    [{ recoveryThreshold: 801 }, 'recoveryThreshold must be at most the threshold where the comparator is >.'],
    [{ serviceName: 'a\0b' }, 'A text contains characters that cannot be stored.'],
  ])('refuse %j', async (change, detail) => {
    const answer = await ask('POST', 'alert-rules', member, { ...RULE, ...change })
    expect(answer).toMatchObject(problem('invalid-body'))
    expect(answer.detail).toMatch(detail)
  })

  it('need at least a name and a condition', async () => {
    expect((await ask('POST', 'alert-rules', member, { name: 'x' })).detail).toMatch(/^metric is required: a string/)
  })
})

async function fire(
  serviceName: string,
  change: Partial<Extract<AlertChange, { kind: 'open' }>> = {},
): Promise<string> {
  const rule = (await test.control.alerts.rules.list(test.gridId)).find(({ name }) => name === 'High Error Rate')
  if (!rule) throw new Error('There is no such rule.')
  const alert = { kind: 'open', rule, condition: 'error_rate > 5%', serviceName, sinceMs: NOW_MS - 60_000 } as const
  const triggeredAtMs = change.triggeredAtMs === undefined ? NOW_MS - 1000 : change.triggeredAtMs
  await test.control.alerts.save(
    test.gridId,
    [{ ...alert, value: 12.3456, ...change, triggeredAtMs }],
    triggeredAtMs ?? NOW_MS - 1000,
  )
  const made = (await test.control.alerts.unresolved(test.gridId)).find((each) => each.serviceName === serviceName)
  return made?.id ?? ''
}

const resolve = (id: string, atMs: number) =>
  test.control.alerts.save(
    test.gridId,
    [{ kind: 'resolve', id, resolvedAtMs: atMs, resolution: 'recovered', value: 0 }],
    atMs,
  )

const diagnosed = (query = '') => test.ask({ url: `/apm/diagnostics/${test.gridId}/alerts${query}`, headers: guest })

describe('active alerts', () => {
  it('are none without telemetry', async () => {
    expect(await diagnosed()).toMatchObject({ status: 200, body: { alerts: [] } })
  })

  it('have exactly the fields of the reference', async () => {
    const id = await fire('cart')
    await fire('pending', { triggeredAtMs: null })
    expect((await diagnosed()).body).toEqual({
      alerts: [
        {
          id,
          ruleName: 'High Error Rate',
          severity: 'critical',
          serviceName: 'cart',
          condition: 'error_rate > 5%',
          currentValue: 12.35,
          triggeredAt: '2026-03-01T11:59:59.000Z',
          status: 'firing',
        },
      ],
    })
  })

  it('are told as they were recorded at another moment', async () => {
    const id = await fire('cart', { triggeredAtMs: NOW_MS - 600_000 })
    await resolve(id, NOW_MS - 300_000)
    const at = async (time: string, more = '') =>
      ((await diagnosed(`?at=2026-03-01T${time}Z${more}`)).body['alerts'] as { id: string; status: string }[]).map(
        (alert) => [alert.id, alert.status],
      )
    expect(await at('11:49:59.999')).toEqual([])
    expect(await at('11:50:00')).toEqual([[id, 'firing']])
    expect(await at('11:54:59.999', '&window=1')).toEqual([[id, 'firing']])
    expect(await at('11:55:00')).toEqual([])
    expect((await diagnosed()).body).toEqual({ alerts: [] })
    expect(await diagnosed('?at=1950-01-01T00:00:00Z')).toMatchObject({ status: 200, body: { alerts: [] } })
    expect(await diagnosed('?at=2026-03-01T12:00:00.001Z')).toMatchObject(problem('invalid-parameter'))
  })

  it('need an active subscription here, though not to be managed', async () => {
    await test.control.grids.update(test.gridId, { subscriptionState: 'expired' })
    expect(await diagnosed()).toMatchObject(problem('no-active-subscription'))
    expect((await ask('GET', 'alerts', guest)).status).toBe(200)
  })
})

describe('an acknowledgement', () => {
  it('is made by a User, with a note, and shows everywhere', async () => {
    const id = await fire('cart')
    const answer = await ask('POST', `alerts/${id}/acknowledge`, user, { note: 'looking into it' })
    expect(answer).toMatchObject({
      status: 200,
      body: {
        id,
        status: 'acknowledged',
        acknowledgedAt: '2026-03-01T12:00:00.000Z',
        acknowledgedBy: 'API key test',
        acknowledgementNote: 'looking into it',
      },
    })
    expect((await ask('GET', `alerts/${id}`, guest)).body).toEqual(answer.body)
    expect((await diagnosed()).body).toMatchObject({ alerts: [{ id, status: 'acknowledged' }] })
    expect((await diagnosed('?at=2026-03-01T11:59:59.500Z')).body).toMatchObject({ alerts: [{ id, status: 'firing' }] })
  })

  it('needs no body, and the first one stays', async () => {
    const id = await fire('cart')
    const ann = await test.control.users.create({
      email: 'ann@x.y',
      name: 'Ann',
      password: 'ten letters',
      admin: false,
    })
    const person = await test.person(ann.id, { role: 'User' })
    const first = await ask('POST', `alerts/${id}/acknowledge`, person)
    expect(first).toMatchObject({ status: 200, body: { acknowledgedBy: 'ann@x.y', acknowledgementNote: '' } })
    expect((await ask('POST', `alerts/${id}/acknowledge`, user, { note: 'me too' })).body).toEqual(first.body)
  })

  it('is refused to Guests, to keys that may only read, and for what does not fire', async () => {
    const id = await fire('cart')
    const path = `alerts/${id}/acknowledge`
    expect(await ask('POST', path, guest)).toMatchObject(problem('insufficient-role'))
    expect(await ask('POST', path, await test.key('User', ['read']))).toMatchObject(problem('missing-scope'))
    expect(await ask('POST', path, user, { note: 'x'.repeat(2001) })).toMatchObject(problem('invalid-body'))
    await resolve(id, NOW_MS)
    expect(await ask('POST', path, user)).toMatchObject({
      ...problem('alert-not-firing'),
      detail: 'This alert is resolved; only one that fires can be acknowledged.',
    })
    expect(await ask('POST', 'alerts/nothing/acknowledge', user)).toMatchObject(problem('unknown-alert'))
  })
})

describe('the history', () => {
  it('is told in pages, newest first', async () => {
    const ids: string[] = []
    for (const [i, service] of ['a', 'b', 'c'].entries())
      ids.push(await fire(service, { triggeredAtMs: NOW_MS - 9 + i }))
    await resolve(ids[0] ?? '', NOW_MS)
    const page = async (query: string) => {
      const { body } = await ask('GET', `alerts${query}`, guest)
      const { items, ...rest } = body as { items: { serviceName: string }[] }
      return { services: items.map(({ serviceName }) => serviceName).join(), ...rest }
    }
    expect(await page('')).toEqual({ services: 'c,b,a', totalCount: 3, page: 1, pageSize: 20 })
    expect(await page('?pageSize=2&page=2')).toEqual({ services: 'a', totalCount: 3, page: 2, pageSize: 2 })
    expect(await page('?page=9007199254740991')).toMatchObject({ services: '', totalCount: 3 })
    expect(await page('?status=active')).toMatchObject({ services: 'c,b', totalCount: 2 })
    expect(await page('?status=resolved&serviceName=a')).toMatchObject({ services: 'a', totalCount: 1 })
    expect((await ask('GET', `alerts/${ids[0]}`, guest)).body).toMatchObject({
      status: 'resolved',
      resolvedAt: '2026-03-01T12:00:00.000Z',
      resolution: 'recovered',
      since: '2026-03-01T11:59:00.000Z',
    })
  })

  it.each([
    ['?status=over', 'status must be one of active, pending, firing, acknowledged, resolved.'],
    ['?pageSize=101', 'pageSize must be an integer of 1 to 100.'],
    ['?page=0', /^page must be an integer/],
  ])('refuses %s', async (query, detail) => {
    const answer = await ask('GET', `alerts${query}`, guest)
    expect(answer).toMatchObject(problem('invalid-parameter'))
    expect(answer.detail).toMatch(detail)
  })

  it('knows nothing of the alerts of another Grid', async () => {
    const id = await fire('cart')
    await test.useNewGrid()
    const headers = await test.key('Owner')
    expect(await ask('GET', `alerts/${id}`, headers)).toMatchObject(problem('unknown-alert'))
    expect(await ask('POST', `alerts/${id}/acknowledge`, headers)).toMatchObject(problem('unknown-alert'))
  })
})
