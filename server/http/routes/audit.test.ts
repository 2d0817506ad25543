import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestApp, problem, type TestApp } from '../testing/test-app.ts'

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

const grid = () => `/apm/grids/${test.gridId}`
const audit = async (url: string, headers = owner) => (await test.ask({ url, headers })).body

describe('the audit log', () => {
  it('tells who changed what on a Grid, newest first', async () => {
    await test.ask({
      method: 'PUT',
      url: `${grid()}/members/ann@example.com`,
      headers: owner,
      payload: { role: 'User' },
    })
    const rule = { name: 'Slow', metric: 'p95_latency', comparator: '>', threshold: 1000 }
    const made = await test.ask({ method: 'POST', url: `${grid()}/alert-rules`, headers: owner, payload: rule })
    expect(made.status).toBe(201)
    const { items, totalCount } = await audit(`${grid()}/audit`)
    expect(totalCount).toBe(2)
    expect(items).toMatchObject([
      {
        caller: `user:olga-${test.gridId}`,
        action: 'Create an alert rule',
        gridSecondaryId: test.gridId,
        target: { id: made.body.id },
        change: JSON.stringify(rule),
      },
      { action: 'Add a member or change its role', target: { subject: 'ann@example.com' }, change: '{"role":"User"}' },
    ])
    expect(await audit(`${grid()}/audit?page=2&pageSize=1`)).toMatchObject({
      items: [items[1]],
      totalCount: 2,
      page: 2,
    })
  })

  it('keeps silent about questions, and about what was refused or failed', async () => {
    const guest = await test.key('Guest', ['read', 'manage'])
    const traces = `/apm/traces/${test.gridId}`
    const range = { rangeStart: '2026-01-01T00:00:00Z', rangeEnd: '2026-01-02T00:00:00Z' }
    expect((await test.ask({ method: 'POST', url: traces, headers: owner, payload: range })).status).toBe(200)
    const refused = {
      method: 'PUT',
      url: `${grid()}/apdex`,
      headers: guest,
      payload: { defaultMs: 1, services: {} },
    } as const
    expect(await test.ask(refused)).toMatchObject(problem('insufficient-role'))
    expect((await test.ask({ ...refused, headers: owner, payload: {} })).status).toBe(400)
    expect((await test.ask({ method: 'DELETE', url: `${grid()}/keys/none`, headers: owner })).status).toBe(404)
    expect(await audit(`${grid()}/audit`)).toMatchObject({ items: [], totalCount: 0 })
  })

  it('tells administrators of everything, and nobody of a secret', async () => {
    const user = { email: 'eve@example.com', name: 'Eve', password: 'a long password' }
    const made = await test.ask({ method: 'POST', url: '/apm/users', headers: admin, payload: user })
    const newGrid = await test.ask({ method: 'POST', url: '/apm/grids', headers: admin, payload: { name: 'new' } })
    const { items } = await audit('/apm/audit?pageSize=2', admin)
    expect(items).toMatchObject([
      { action: 'Create a Grid', gridSecondaryId: newGrid.body.gridSecondaryId, caller: 'user:root' },
      { action: 'Create a user', gridSecondaryId: null, target: { id: made.body.id } },
    ])
    expect(JSON.stringify(items)).not.toContain(user.password)
    expect(JSON.stringify(items)).toContain(user.email)
  })

  it('forgets what is too old', async () => {
    const key = { name: 'k', role: 'Guest', scopes: ['read'] }
    expect((await test.ask({ method: 'POST', url: `${grid()}/keys`, headers: owner, payload: key })).status).toBe(201)
    const [entry] = (await audit(`${grid()}/audit`)).items as { at: string }[]
    await test.control.audit.expire(Date.parse(entry?.at ?? ''))
    expect((await audit(`${grid()}/audit`)).totalCount).toBe(1)
    await test.control.audit.expire(Date.parse(entry?.at ?? '') + 1)
    expect((await audit(`${grid()}/audit`)).totalCount).toBe(0)
  })
})
