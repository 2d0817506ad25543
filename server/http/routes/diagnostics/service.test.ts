import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { problem } from '../../testing/test-app.ts'
import { createDiagnosticsTest, type DiagnosticsTest, requestsAt } from './testing/diagnostics-test.ts'

let test: DiagnosticsTest
beforeAll(async () => {
  test = await createDiagnosticsTest()
})
beforeEach(() => test.useNewGrid())
afterAll(() => test.app.app.close())

const service = (name: string, query = '') => test.ask(`service/${encodeURIComponent(name)}${query}`)

describe('a service', () => {
  it('is shown with its endpoints, errors and dependencies', async () => {
    const exception = {
      name: 'exception',
      timeNs: 1n,
      attributes: { 'exception.type': 'Timeout', 'exception.message': 'no answer' },
    }
    await test.app.write([
      ...requestsAt(110, 8, { operation: 'GET /cart', durationMs: 20 }),
      ...requestsAt(111, 2, { operation: 'POST /orders', durationMs: 700, status: 'ERROR', statusMessage: 'failed' }),
      ...requestsAt(112, 1, {
        operation: 'POST /orders',
        durationMs: 800,
        trace: 'aaaa',
        id: 'aaaa1',
        status: 'ERROR',
      }),
      {
        trace: 'aaaa',
        id: 'aaaa2',
        parent: 'aaaa1',
        kind: 'CLIENT',
        atMs: 112 * 60_000,
        durationMs: 600,
        status: 'ERROR',
        attributes: { 'db.system.name': 'postgresql' },
        events: [exception],
      },
      ...requestsAt(113, 50, { service: 'cart' }),
      ...requestsAt(90, 50, { status: 'ERROR' }),
    ])
    expect((await service('shop')).body).toEqual({
      serviceName: 'shop',
      status: 'unhealthy',
      apdex: 0.73,
      errorRate: 27.27,
      requestCount: 11,
      endpoints: [
        { operation: 'GET /cart', requestCount: 8, errorRate: 0, avgLatencyMs: 20, p95LatencyMs: 20 },
        { operation: 'POST /orders', requestCount: 3, errorRate: 100, avgLatencyMs: 733.33, p95LatencyMs: 800 },
      ],
      topErrors: [
        { exceptionType: '', message: 'failed', count: 2, percentage: 66.67 },
        { exceptionType: 'Timeout', message: 'no answer', count: 1, percentage: 33.33 },
      ],
      dependencies: [{ name: 'postgresql', status: 'degraded', errorRate: 100, avgLatencyMs: 600 }],
    })
  })

  it.each(['pay/ments', 'a b', 'überweisung 支付', '100%', 'a?b#c', 'a+b', "o'neil", 'ünï/çø de'])(
    'is found by its name: %s',
    async (name) => {
      await test.app.write(requestsAt(110, 3, { service: name }))
      expect((await service(name)).body).toMatchObject({ serviceName: name, requestCount: 3 })
    },
  )

  it('that nobody ever heard of is a problem', async () => {
    await test.app.write(requestsAt(110, 3))
    const answer = await service('pay/ments')
    expect(answer).toMatchObject(problem('unknown-service'))
    expect(answer.detail).toBe('This Grid has no spans of the service pay/ments.')
    expect(answer.body).toMatchObject({
      title: 'Not Found',
      instance: `/apm/diagnostics/${test.app.gridId}/service/pay%2Fments`,
    })
    expect(await service('Shop')).toMatchObject({ status: 404 })
  })

  it('that only others name is a problem', async () => {
    await test.app.write(requestsAt(110, 1, { kind: 'CLIENT', attributes: { 'peer.service': 'bank' } }))
    expect(await service('bank')).toMatchObject(problem('unknown-service'))
  })

  it('that is quiet at the moment is known, and empty', async () => {
    await test.app.write(requestsAt(-60 * 24 * 3, 3))
    expect((await service('shop')).body).toEqual({
      serviceName: 'shop',
      status: 'unknown',
      apdex: 1,
      errorRate: 0,
      requestCount: 0,
      endpoints: [],
      topErrors: [],
      dependencies: [],
    })
  })

  it('that its callers fail to reach is unhealthy', async () => {
    const calls = { service: 'gate', kind: 'CLIENT' as const, attributes: { 'peer.service': 'shop' } }
    await test.app.write([...requestsAt(60, 3), ...requestsAt(110, 3, { ...calls, status: 'ERROR' })])
    expect((await service('shop')).body).toMatchObject({ status: 'unhealthy', requestCount: 0 })
  })

  it('is shown as of another moment, and not known before its first span', async () => {
    await test.app.write([...requestsAt(50, 3), ...requestsAt(110, 5)])
    expect((await service('shop', '?at=2026-03-01T11:00:00Z')).body).toMatchObject({ requestCount: 3 })
    expect((await service('shop', '?window=120')).body).toMatchObject({ requestCount: 8 })
    expect(await service('shop', '?at=2026-03-01T10:50:00Z')).toMatchObject(problem('unknown-service'))
    expect(await service('shop', '?at=1950-01-01T00:00:00Z')).toMatchObject(problem('unknown-service'))
    expect(await service('shop', '?at=2026-03-01T12:00:01Z')).toMatchObject(problem('invalid-parameter'))
  })

  it('judges its dependencies by the thresholds of the Grid', async () => {
    await test.app.setApdex({ defaultMs: 50, byService: {} })
    await test.app.write([
      ...requestsAt(110, 1),
      ...requestsAt(110, 6, { kind: 'CLIENT', durationMs: 60, parent: 'ffff', attributes: { 'db.system': 'redis' } }),
    ])
    expect((await service('shop')).body).toMatchObject({ dependencies: [{ name: 'redis', status: 'degraded' }] })
  })
})
