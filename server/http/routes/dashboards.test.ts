import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestApp, problem, type TestApp } from '../testing/test-app.ts'

let test: TestApp
let member: Record<string, string>
let guest: Record<string, string>

beforeAll(async () => {
  test = await createTestApp()
})
beforeEach(async () => {
  await test.useNewGrid()
  member = await test.key('Member', ['read', 'manage'])
  guest = await test.key('Guest', ['read', 'manage'])
})
afterAll(() => test.app.close())

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
const ask = (method: Method, path: string, headers: Record<string, string>, payload?: object) =>
  test.ask({ method, url: `/apm/dashboards/${test.gridId}/dashboards${path}`, headers, ...(payload && { payload }) })

async function newChart(title: string): Promise<string> {
  const url = `/apm/charts/${test.gridId}/charts`
  return (await test.ask({ method: 'POST', url, headers: member, payload: { title, metric: 'apdex' } })).body.id
}

describe('dashboards', () => {
  it('are there in every Grid, with charts of what spans tell', async () => {
    const { body } = await ask('GET', '', guest)
    expect(body).toMatchObject({ totalCount: 1, page: 1, pageSize: 20, items: [{ title: 'Overview' }] })
    const [overview] = body.items as { id: string; charts: { chartId: string; title: string; chartType: string }[] }[]
    expect((await ask('GET', `/${overview?.id}`, guest)).body).toEqual(overview)
    expect(overview?.charts.map(({ title }) => title)).toEqual([
      'Throughput',
      'Error rate',
      'Latency percentiles',
      'Apdex',
      'Top services by errors',
    ])
    for (const { chartId, title, chartType } of overview?.charts ?? []) {
      const url = `/apm/charts/${test.gridId}/charts/${chartId}`
      expect((await test.ask({ url, headers: guest })).body).toMatchObject({ id: chartId, title, chartType })
    }
  })

  it('are made, seen, changed as a whole and removed by a Member', async () => {
    const [first, second] = [await newChart('First'), await newChart('Second')]
    const position = { row: 2, col: 0, width: 12, height: 3 }
    const created = await ask('POST', '', member, {
      title: 'Mine',
      charts: [{ chartId: first, position }, { chartId: second }, { chartId: first }, { chartId: first }],
    })
    expect(created.status).toBe(201)
    expect(created.body).toEqual({
      id: expect.any(String),
      title: 'Mine',
      description: '',
      createdAt: '2026-03-01T12:00:00.000Z',
      updatedAt: '2026-03-01T12:00:00.000Z',
      charts: [
        { chartId: first, title: 'First', chartType: 'line', position },
        { chartId: second, title: 'Second', chartType: 'line', position: { row: 5, col: 0, width: 6, height: 4 } },
        { chartId: first, title: 'First', chartType: 'line', position: { row: 5, col: 6, width: 6, height: 4 } },
        { chartId: first, title: 'First', chartType: 'line', position: { row: 9, col: 0, width: 6, height: 4 } },
      ],
    })
    const path = `/${created.body.id}`
    expect((await ask('GET', path, guest)).body).toEqual(created.body)
    const change = { title: 'Ours', description: 'All of it.', charts: [{ chartId: second, position }] }
    const changed = await ask('PUT', path, member, change)
    expect(changed).toMatchObject({ status: 200, body: { ...change, charts: [{ title: 'Second', position }] } })
    expect((await ask('GET', path, guest)).body).toEqual(changed.body)
    expect(await ask('DELETE', path, member)).toMatchObject({ status: 204, text: '' })
    for (const [method, body] of [['GET'], ['PUT', change], ['DELETE']] as const)
      expect(await ask(method, path, member, body)).toMatchObject(problem('unknown-dashboard'))
  })

  it('lose a chart that is removed', async () => {
    const [first, second] = [await newChart('First'), await newChart('Second')]
    const { id } = (await ask('POST', '', member, { title: 'Mine', charts: [{ chartId: first }, { chartId: second }] }))
      .body
    await test.ask({ method: 'DELETE', url: `/apm/charts/${test.gridId}/charts/${first}`, headers: member })
    expect((await ask('GET', `/${id}`, guest)).body['charts']).toMatchObject([{ chartId: second }])
  })

  it('hold charts of their own Grid only, and stay as they were where they are refused', async () => {
    const foreign = await newChart('Foreign')
    await test.useNewGrid()
    const owner = await test.key()
    const unknown = await ask('POST', '', owner, { title: 'Mine', charts: [{ chartId: foreign }] })
    expect(unknown).toMatchObject(problem('invalid-body'))
    expect(unknown.detail).toBe('charts/0/chartId: this Grid has no such chart.')
    const [overview] = (await ask('GET', '', owner)).body.items as { id: string }[]
    expect(await ask('PUT', `/${overview?.id}`, owner, { title: 'X', charts: [{ chartId: foreign }] })).toMatchObject(
      problem('invalid-body'),
    )
    expect((await ask('GET', `/${overview?.id}`, owner)).body).toEqual(overview)
  })

  it('are not for others to edit, and need a subscription', async () => {
    expect(await ask('POST', '', guest, { title: 'Mine' })).toMatchObject(problem('insufficient-role'))
    await test.control.grids.update(test.gridId, { subscriptionState: 'suspended' })
    expect(await ask('GET', '', guest)).toMatchObject(problem('no-active-subscription'))
  })

  it.each([
    [{}, 'title is required'],
    [{ title: 'x', charts: [{}] }, 'charts.0.chartId is required'],
    [{ title: 'x', charts: [{ chartId: 'a', position: { row: 0, col: 8, width: 6, height: 1 } }] }, '12 columns'],
    [{ title: 'x', charts: [{ chartId: 'a', position: { row: 0, col: 12, width: 1, height: 1 } }] }, 'position'],
    [{ title: 'x', tiles: [] }, 'Unknown: tiles'],
  ])('are refused as %j', async (body, detail) => {
    const answer = await ask('POST', '', member, body)
    expect(answer).toMatchObject(problem('invalid-body'))
    expect(answer.detail).toContain(detail)
  })
})
