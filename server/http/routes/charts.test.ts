import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestApp, problem, type TestApp } from '../testing/test-app.ts'
import { requestsAt } from './diagnostics/testing/diagnostics-test.ts'

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
  test.ask({ method, url: `/apm/charts/${test.gridId}/charts${path}`, headers, ...(payload && { payload }) })

const CHART = { title: 'Slow carts', metrics: ['latency_p95'] }
const DEFAULTED = {
  ...CHART,
  chartType: 'line',
  serviceName: null,
  metric: 'latency_p95',
  filter: {},
  groupBy: '',
  unit: 'ms',
}

describe('charts', () => {
  it('are made, seen, changed as a whole and removed by a Member', async () => {
    const created = await ask('POST', '', member, CHART)
    expect(created).toMatchObject({ status: 201, body: DEFAULTED })
    const path = `/${created.body.id}`
    expect((await ask('GET', path, guest)).body).toEqual(created.body)
    const change = {
      title: 'Cart',
      chartType: 'area',
      serviceName: 'cart',
      metrics: ['throughput', 'error_rate'],
      filter: { 'span.name': 'GET /cart', attempt: 2 },
      groupBy: 'span.kind',
      unit: 'requests',
    }
    const changed = await ask('PUT', path, member, change)
    expect(changed).toMatchObject({
      status: 200,
      body: { ...change, metric: 'throughput', filter: { 'span.name': 'GET /cart', attempt: '2' } },
    })
    expect((await ask('GET', path, guest)).body).toEqual(changed.body)
    expect((await ask('PUT', path, member, CHART)).body).toMatchObject(DEFAULTED)
    expect(await ask('DELETE', path, member)).toMatchObject({ status: 204, text: '' })
    for (const [method, body] of [['GET'], ['PUT', CHART], ['DELETE']] as const)
      expect(await ask(method, path, member, body)).toMatchObject(problem('unknown-chart'))
    expect(await ask('GET', `${path}/range-data`, member)).toMatchObject(problem('unknown-chart'))
  })

  it('have the fields of the contract and no others', async () => {
    const { body } = await ask('POST', '', member, { title: 'One', metric: 'apdex' })
    expect(Object.keys(body).sort()).toEqual(
      'chartType createdAt filter groupBy id metric metrics serviceName title unit updatedAt'.split(' '),
    )
    expect(body).toMatchObject({ metric: 'apdex', metrics: ['apdex'], unit: '' })
  })

  it('are listed by title, a page at a time, those that every Grid begins with too', async () => {
    await ask('POST', '', member, CHART)
    const { body } = await ask('GET', '?page=2&pageSize=4', guest)
    expect(body).toMatchObject({ totalCount: 6, page: 2, pageSize: 4 })
    expect((body.items as { title: string }[]).map(({ title }) => title)).toEqual([
      'Throughput',
      'Top services by errors',
    ])
    expect((await ask('GET', '?page=9', guest)).body).toMatchObject({ items: [], totalCount: 6, page: 9, pageSize: 20 })
    expect(await ask('GET', '?pageSize=101', guest)).toMatchObject(problem('invalid-parameter'))
  })

  it('are not for others to edit, nor for keys that may only read', async () => {
    const user = await test.key('User', ['read', 'manage'])
    const reader = await test.key('Member', ['read'])
    expect(await ask('POST', '', user, CHART)).toMatchObject(problem('insufficient-role'))
    expect(await ask('PUT', '/x', guest, CHART)).toMatchObject(problem('insufficient-role'))
    expect(await ask('DELETE', '/x', guest)).toMatchObject(problem('insufficient-role'))
    expect(await ask('POST', '', reader, CHART)).toMatchObject(problem('missing-scope'))
  })

  it('need a subscription', async () => {
    await test.control.grids.update(test.gridId, { subscriptionState: 'expired' })
    expect(await ask('GET', '', guest)).toMatchObject(problem('no-active-subscription'))
    expect(await ask('POST', '', member, CHART)).toMatchObject(problem('no-active-subscription'))
  })

  it('are not seen from another Grid', async () => {
    const { id } = (await ask('POST', '', member, CHART)).body
    await test.useNewGrid()
    expect(await ask('GET', `/${id}`, await test.key())).toMatchObject(problem('unknown-chart'))
    expect(await ask('DELETE', `/${id}`, await test.key())).toMatchObject(problem('unknown-chart'))
  })

  it.each([
    [{}, 'title is required'],
    [{ title: 'x' }, 'metrics is required'],
    [{ ...CHART, metrics: [] }, 'metrics must be'],
    [{ ...CHART, metrics: ['apdex', 'apdex'] }, 'metrics must be'],
    [{ ...CHART, metric: 'apdex' }, 'metric must be the first of metrics'],
    [{ ...CHART, chartType: 'pie' }, 'chartType must be'],
    [{ ...CHART, filter: { a: {} } }, 'filter'],
    [{ ...CHART, colour: 'red' }, 'Unknown: colour'],
    [{ ...CHART, title: 'x'.repeat(201) }, 'title must be'],
  ])('are refused as %j', async (body, detail) => {
    const answer = await ask('POST', '', member, body)
    expect(answer).toMatchObject(problem('invalid-body'))
    expect(answer.detail).toContain(detail)
  })
})

describe('data of a chart', () => {
  async function dataOf(settings: object, query = '') {
    const { id } = (await ask('POST', '', member, { title: 'T', ...settings })).body
    const { body } = await ask('GET', `/${id}/range-data${query}`, guest)
    return { ...body, id, series: body['series'] as { label: string; dataPoints: object[] }[] }
  }
  const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 10, minute)).toISOString()

  it('is that of the last hour, with a gap where nothing was', async () => {
    await test.write([
      ...requestsAt(59, 5),
      ...requestsAt(60, 30, { durationMs: 10 }),
      ...requestsAt(62, 60, { durationMs: 30, status: 'ERROR' }),
    ])
    const { id, ...data } = await dataOf({ metrics: ['throughput', 'latency_avg', 'error_rate', 'apdex'] })
    expect(data).toEqual({
      chartId: id,
      title: 'T',
      unit: 'req/s',
      rangeStart: at(60),
      rangeEnd: at(120),
      series: [
        {
          label: 'throughput',
          dataPoints: [
            { timestamp: at(60), value: 0.5 },
            { timestamp: at(62), value: 1 },
          ],
        },
        {
          label: 'latency_avg (ms)',
          dataPoints: [
            { timestamp: at(60), value: 10 },
            { timestamp: at(62), value: 30 },
          ],
        },
        {
          label: 'error_rate (%)',
          dataPoints: [
            { timestamp: at(60), value: 0 },
            { timestamp: at(62), value: 100 },
          ],
        },
        {
          label: 'apdex',
          dataPoints: [
            { timestamp: at(60), value: 1 },
            { timestamp: at(62), value: 0 },
          ],
        },
      ],
    })
  })

  it('is empty without data', async () => {
    expect(await dataOf(CHART)).toMatchObject({ series: [], unit: 'ms' })
  })

  it('has percentiles', async () => {
    await test.write([...requestsAt(70, 90, { durationMs: 10 }), ...requestsAt(70, 10, { durationMs: 1000 })])
    const { series } = await dataOf({ metrics: ['latency_p50', 'latency_p95', 'latency_p99'] })
    const values = series.map(({ label, dataPoints: [point] }) => [label, (point as { value: number }).value] as const)
    for (const [label, value] of values) {
      const exact = label === 'latency_p50' ? 10 : 1000
      expect(Math.abs(value - exact) / exact).toBeLessThan(0.01)
    }
    expect(values).toHaveLength(3)
  })

  it('tells groups apart, the greatest first, and leaves out what the filter does not want', async () => {
    await test.write([
      ...requestsAt(70, 6, { service: 'cart', operation: 'GET /' }),
      ...requestsAt(70, 60, { service: 'shop', operation: 'GET /' }),
      ...requestsAt(71, 60, { service: 'shop', operation: 'POST /' }),
    ])
    const throughput = { metrics: ['throughput'] }
    const point = (minute: number, value: number) => ({ timestamp: at(minute), value })
    expect((await dataOf({ ...throughput, groupBy: 'service.name' })).series).toEqual([
      { label: 'shop', dataPoints: [point(70, 1), point(71, 1)] },
      { label: 'cart', dataPoints: [point(70, 0.1)] },
    ])
    expect((await dataOf({ ...throughput, groupBy: 'serviceName', filter: { 'span.name': 'POST /' } })).series).toEqual(
      [{ label: 'shop', dataPoints: [point(71, 1)] }],
    )
    expect((await dataOf({ ...throughput, serviceName: 'cart' })).series).toEqual([
      { label: 'throughput', dataPoints: [point(70, 0.1)] },
    ])
    expect((await dataOf({ ...throughput, serviceName: 'cart', filter: { 'service.name': 'shop' } })).series).toEqual(
      [],
    )
  })

  it('counts log records, by severity too', async () => {
    await test.write(
      [],
      [1, 2, 3].map((i) => ({ atMs: 80 * 60_000 + i, severityNumber: i === 1 ? 17 : 9, body: `${i}` })),
    )
    expect((await dataOf({ metric: 'log_count' })).series).toEqual([
      { label: 'log_count', dataPoints: [{ timestamp: at(80), value: 3 }] },
    ])
    const { series } = await dataOf({ metric: 'log_count', groupBy: 'severity' })
    expect(series.map(({ label, dataPoints }) => [label, dataPoints])).toEqual([
      ['Information', [{ timestamp: at(80), value: 2 }]],
      ['Error', [{ timestamp: at(80), value: 1 }]],
    ])
  })

  it('is just that of the range, and a step that the range cuts counts by its part', async () => {
    await test.write([70, 70.5, 71].flatMap((minute) => requestsAt(minute, 30)))
    const range = '?rangeStart=2026-03-01T11:10:30Z&rangeEnd=2026-03-01T11:11:00Z'
    expect(await dataOf({ metrics: ['throughput'] }, range)).toMatchObject({
      rangeStart: '2026-03-01T11:10:30.000Z',
      rangeEnd: '2026-03-01T11:11:00.000Z',
      series: [{ dataPoints: [{ timestamp: '2026-03-01T11:10:30.000Z', value: 1 }] }],
    })
  })

  it('has longer steps the longer the range, and a few hundred at most', async () => {
    await test.write([0, 4, 5, 60].flatMap((minute) => requestsAt(minute, 60)))
    const { series } = await dataOf({ metrics: ['throughput'] }, '?rangeStart=2026-02-28T12:00:00Z')
    expect(series[0]?.dataPoints).toEqual([
      { timestamp: at(0), value: 0.4 },
      { timestamp: at(5), value: 0.2 },
      { timestamp: at(60), value: 0.2 },
    ])
  })

  it.each([
    ['?rangeStart=yesterday', 'rangeStart must be'],
    ['?rangeStart=2026-03-01T11:00:00Z&rangeEnd=2026-03-01T11:00:00Z', 'rangeEnd must be after rangeStart.'],
    ['?rangeStart=2026-03-01T12:00:00Z', 'rangeEnd must be after rangeStart.'],
  ])('is not told for %s', async (query, detail) => {
    const { id } = (await ask('POST', '', member, CHART)).body
    const answer = await ask('GET', `/${id}/range-data${query}`, guest)
    expect(answer).toMatchObject(problem('invalid-parameter'))
    expect(answer.detail).toContain(detail)
  })
})

describe('a picture of a chart', () => {
  it('is drawn from the same data, in the size and theme asked for', async () => {
    await test.write(requestsAt(70, 60))
    const { id } = (await ask('POST', '', member, { title: 'T', metric: 'throughput', chartType: 'area' })).body
    const drawn = await ask('GET', `/${id}/render?width=640&height=300&theme=light`, guest)
    expect(drawn.status).toBe(200)
    expect(drawn.headers).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': 'inline; filename="chart.png"',
    })
    expect(JSON.parse(drawn.text)).toEqual({
      ...{ width: 640, height: 300, theme: 'light', title: 'T', unit: 'req/s', chartType: 'area', stepMs: 60_000 },
      startMs: Date.UTC(2026, 2, 1, 11),
      endMs: Date.UTC(2026, 2, 1, 12),
      series: [{ label: 'throughput', unit: 'req/s', points: [[Date.UTC(2026, 2, 1, 11, 10), 1]] }],
    })
    const plain = JSON.parse((await ask('GET', `/${id}/render?rangeStart=2026-03-01T11:30:00Z`, guest)).text)
    expect(plain).toMatchObject({ width: 800, height: 400, theme: 'dark', startMs: Date.UTC(2026, 2, 1, 11, 30) })
  })

  it.each(['width=99', 'height=4001', 'width=wide', 'theme=red', 'rangeEnd=now'])(
    'is not drawn with %s',
    async (query) => {
      const { id } = (await ask('POST', '', member, CHART)).body
      expect(await ask('GET', `/${id}/render?${query}`, guest)).toMatchObject(problem('invalid-parameter'))
    },
  )

  it('is not drawn of a chart that is not there', async () => {
    expect(await ask('GET', '/nothing/render', guest)).toMatchObject(problem('unknown-chart'))
  })
})

describe('a chart of a stored metric', () => {
  const COUNTER = { type: 'sum', monotonic: true, temporality: 'cumulative', unit: '{request}' } as const

  it('shows the growth of a counter per second, by any attribute', async () => {
    const points = Array.from({ length: 240 }, (_, i) => i).flatMap((i) =>
      ['eu', 'us'].map((region, n) => ({
        ...{ ...COUNTER, name: 'hits', atMs: 3_600_000 + i * 15_000, attributes: { region } },
        value: i * 15 * (n + 1),
      })),
    )
    await test.write([], [], points)
    const { body } = await ask('POST', '', member, { title: 'Hits', metric: 'hits', groupBy: 'region' })
    expect(body).toMatchObject({ metric: 'hits', unit: 'request/s' })
    const data = (await ask('GET', `/${body.id}/range-data`, guest)).body
    const series = data['series'] as { label: string; dataPoints: { value: number }[] }[]
    expect(data['unit']).toBe('request/s')
    expect(series.map(({ label, dataPoints }) => [label, dataPoints.length, dataPoints[30]?.value])).toEqual([
      ['us', 60, 2],
      ['eu', 60, 1],
    ])
  })

  it('shows a percentile of a histogram in milliseconds, and other readings by a suffix', async () => {
    const value = { count: 10, sum: 1, min: null, max: null, explicitBounds: [0.1, 0.2], bucketCounts: [0, 10, 0] }
    const histogram = { name: 'd', unit: 's', type: 'histogram', temporality: 'delta', value } as const
    await test.write(
      [],
      [],
      [70, 70.5].map((minute) => ({ ...histogram, atMs: minute * 60_000 })),
    )
    const metrics = ['d', 'd:p50', 'd:avg', 'd:max']
    const { body } = await ask('POST', '', member, { title: 'D', metrics })
    const data = (await ask('GET', `/${body.id}/range-data`, guest)).body
    expect(data).toMatchObject({
      unit: 'ms',
      series: [
        { label: 'd', dataPoints: [{ value: 195 }] },
        { label: 'd:p50', dataPoints: [{ value: 150 }] },
        { label: 'd:avg', dataPoints: [{ value: 100 }] },
      ],
    })
    expect(data['series']).toHaveLength(3)
  })

  it('has steps in which a metric that comes once a minute has no gaps by chance', async () => {
    const points = Array.from({ length: 60 }, (_, i) => ({ name: 'g', atMs: 3_600_000 + i * 60_400, value: i }))
    await test.write([], [], points)
    const { id } = (await ask('POST', '', member, { title: 'G', metric: 'g' })).body
    const data = (await ask('GET', `/${id}/range-data`, guest)).body
    expect((data['series'] as { dataPoints: object[] }[])[0]?.dataPoints).toHaveLength(30)
  })

  it('is empty for a metric that nobody sent', async () => {
    const { body } = await ask('POST', '', member, { title: 'N', metric: 'nothing' })
    expect(body['unit']).toBe('')
    expect((await ask('GET', `/${body.id}/range-data`, guest)).body).toMatchObject({ unit: '', series: [] })
  })
})
