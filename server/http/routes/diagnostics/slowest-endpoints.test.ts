import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createDiagnosticsTest, type DiagnosticsTest, requestsAt } from './testing/diagnostics-test.ts'

let test: DiagnosticsTest
beforeAll(async () => {
  test = await createDiagnosticsTest()
})
beforeEach(() => test.useNewGrid())
afterAll(() => test.app.app.close())

const ranked = async (query = '') =>
  ((await test.ask(`slowest-endpoints${query}`)).body['endpoints'] as { serviceName: string; operation: string }[]).map(
    ({ serviceName, operation }) => `${serviceName} ${operation}`,
  )

describe('the slowest endpoints', () => {
  it('are none without data', async () => {
    expect((await test.ask('slowest-endpoints')).body).toEqual({ endpoints: [] })
  })

  it('are shown with their figures, slowest first, rare ones last', async () => {
    await test.app.write([
      ...requestsAt(110, 10, { operation: 'GET /fast', durationMs: 5 }),
      ...requestsAt(110, 9, { operation: 'GET /slow', durationMs: 100 }),
      ...requestsAt(111, 1, { operation: 'GET /slow', durationMs: 500, status: 'ERROR' }),
      ...requestsAt(110, 4, { operation: 'GET /rare', durationMs: 9000, service: 'cart' }),
    ])
    expect((await test.ask('slowest-endpoints')).body['endpoints']).toEqual([
      {
        rank: 1,
        serviceName: 'shop',
        operation: 'GET /slow',
        avgLatencyMs: 140,
        p95LatencyMs: 500,
        p99LatencyMs: 500,
        requestCount: 10,
        errorRate: 10,
      },
      expect.objectContaining({ rank: 2, operation: 'GET /fast' }),
      expect.objectContaining({ rank: 3, operation: 'GET /rare', serviceName: 'cart' }),
    ])
  })

  it('are operations of SERVER spans alone', async () => {
    await test.app.write([
      ...requestsAt(110, 5, { operation: 'GET /' }),
      ...requestsAt(110, 5, { operation: 'consume', kind: 'CONSUMER', durationMs: 900 }),
      ...requestsAt(110, 5, { operation: 'call', kind: 'CLIENT', durationMs: 900 }),
      ...requestsAt(110, 5, { operation: 'send', kind: 'PRODUCER', durationMs: 900 }),
      ...requestsAt(110, 5, { operation: 'work', kind: 'INTERNAL', durationMs: 900, service: 'job' }),
    ])
    expect(await ranked()).toEqual(['shop GET /'])
  })

  it('are those of the window, at most 20', async () => {
    const operations = Array.from({ length: 25 }, (_, n) =>
      requestsAt(110, 5, { operation: `op ${n}`, durationMs: n + 1 }),
    )
    await test.app.write([...operations.flat(), ...requestsAt(50, 5, { operation: 'old', durationMs: 900 })])
    const names = await ranked()
    expect(names).toHaveLength(20)
    expect([names[0], names[19]]).toEqual(['shop op 24', 'shop op 5'])
    expect((await ranked('?window=120'))[0]).toBe('shop old')
    expect(await ranked('?at=2026-03-01T11:00:00Z')).toEqual(['shop old'])
  })
})
