import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createDiagnosticsTest, type DiagnosticsTest, requestsAt } from './testing/diagnostics-test.ts'

let test: DiagnosticsTest
beforeAll(async () => {
  test = await createDiagnosticsTest()
})
beforeEach(() => test.useNewGrid())
afterAll(() => test.app.app.close())

const NONE = { p50: 0, p95: 0, p99: 0 }

describe('trends', () => {
  it('are stable, with zeroes, without data', async () => {
    expect((await test.ask('trends')).body).toEqual({
      latency: { trend: 'stable', changePercent: 0, current: NONE, baseline: NONE },
      errorRate: { trend: 'stable', changePercent: 0, current: 0, baseline: 0 },
      throughput: { trend: 'stable', changePercent: 0, currentRps: 0, baselineRps: 0 },
    })
  })

  it('compare all requests of the last 15 minutes with the hour before them', async () => {
    await test.app.write([
      ...requestsAt(0, 1),
      ...requestsAt(45, 180, { durationMs: 10 }),
      ...requestsAt(104, 180, { durationMs: 10, service: 'cart' }),
      ...requestsAt(105, 60, { durationMs: 30 }),
      ...requestsAt(119, 30, { durationMs: 30, service: 'cart', status: 'ERROR' }),
    ])
    expect((await test.ask('trends')).body).toEqual({
      latency: {
        trend: 'increasing',
        changePercent: 200,
        current: { p50: 30, p95: 30, p99: 30 },
        baseline: { p50: 10, p95: 10, p99: 10 },
      },
      errorRate: { trend: 'increasing', changePercent: 100, current: 33.33, baseline: 0 },
      throughput: { trend: 'stable', changePercent: 0, currentRps: 0.1, baselineRps: 0.1 },
    })
  })

  it('count the rates of a young Grid from its first data', async () => {
    await test.app.write([...requestsAt(95, 600), ...requestsAt(110, 900)])
    expect((await test.ask('trends')).body['throughput']).toEqual({
      trend: 'stable',
      changePercent: 0,
      currentRps: 1,
      baselineRps: 1,
    })
  })

  it('are told as of another moment, over another window', async () => {
    await test.app.write([...requestsAt(0, 1), ...requestsAt(10, 90), ...requestsAt(80, 180)])
    const { throughput } = (await test.ask('trends?at=2026-03-01T11:30:00Z&window=30')).body
    expect(throughput).toMatchObject({ currentRps: 0.1, baselineRps: 0.0253, trend: 'increasing' })
    expect((await test.ask('trends?at=2026-03-01T09:00:00Z')).body).toMatchObject({ latency: { current: NONE } })
  })

  it.each([
    ['at=2026-03-01T12:00:00.001Z', 'at must not be in the future.'],
    ['window=0', 'window must be an integer of 1 to 1440.'],
  ])('refuse %s', async (query, detail) => {
    expect(await test.ask(`trends?${query}`)).toMatchObject({ status: 400, detail })
  })
})
