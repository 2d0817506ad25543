import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { metricPointOf, type PointLiteral } from '../../../storage/conformance/metric-builder.ts'
import { type SpanLiteral, spanColumnsOf } from '../../../storage/conformance/span-builder.ts'
import { createMemoryStore } from '../../../storage/memory/memory-store.ts'
import { createTestApp, problem, type TestApp } from '../../testing/test-app.ts'

const store = createMemoryStore()
let test: TestApp
let headers: Record<string, string>

beforeAll(async () => {
  test = await createTestApp({ telemetry: store })
})
beforeEach(async () => {
  await test.useNewGrid()
  headers = await test.key('Guest', ['read'])
})
afterAll(() => test.app.close())

const MINUTE_MS = 60_000
const ask = (query = '') => test.ask({ url: `/apm/diagnostics/${test.gridId}/pressure${query}`, headers })
const found = async (query = '') => (await ask(query)).body['pressurePoints']
/** Times are minutes after 10:00. It is 12:00. */
const measure = (...points: (PointLiteral & { minute: number })[]) =>
  store.writeMetrics(
    test.gridId,
    points.map(({ minute, ...point }) => metricPointOf({ service: 'payments', atMs: minute * MINUTE_MS, ...point })),
  )
const pool = (minute: number, used: number) => {
  const attributes = { 'db.client.connection.pool.name': 'pay-primary' }
  const state = { ...attributes, 'db.client.connection.state': 'used' }
  return [
    { minute, name: 'db.client.connection.count', value: used, attributes: state },
    { minute, name: 'db.client.connection.max', value: 20, attributes },
    { minute, name: 'db.client.connection.pending_requests', value: used === 20 ? 7 : 0, attributes },
  ]
}

describe('pressure', () => {
  it('is none without data', async () => {
    expect((await ask()).body).toEqual({ pressurePoints: [] })
  })

  it('is told of what is at its limit, since when', async () => {
    await measure(...pool(105, 3), ...pool(110, 17), ...pool(114, 20), ...pool(118, 20))
    expect((await ask()).body).toEqual({
      pressurePoints: [
        {
          type: 'connection_pool',
          serviceName: 'payments',
          resource: 'pay-primary',
          utilization: 100,
          capacity: 20,
          queueDepth: 7,
          severity: 'critical',
          detectedAt: '2026-03-01T11:50:00.000Z',
        },
      ],
    })
  })

  it('is told as of another moment, within another window', async () => {
    await measure(...pool(10, 20), ...pool(14, 20), ...pool(16, 20), ...pool(18, 20), ...pool(22, 2))
    expect(await found()).toEqual([])
    expect(await found('?at=2026-03-01T10:20:00Z')).toMatchObject([{ detectedAt: '2026-03-01T10:10:00.000Z' }])
    expect(await found('?at=2026-03-01T10:20:00Z&window=3')).toMatchObject([{ detectedAt: '2026-03-01T10:17:00.000Z' }])
    expect(await found('?at=2026-03-01T10:22:00Z')).toHaveLength(1)
    expect(await found('?at=2026-03-01T10:22:00.001Z')).toEqual([])
    expect(await found('?at=1950-01-01T00:00:00Z&window=1440')).toEqual([])
  })

  it('forgets what is older than five minutes', async () => {
    await measure(...pool(115, 20))
    expect(await found()).toHaveLength(1)
    expect(await found('?at=2026-03-01T11:59:59.999Z')).toHaveLength(1)
    test.setNow(Date.UTC(2026, 2, 1, 12, 0, 0, 1))
    expect(await found()).toEqual([])
    test.setNow(Date.UTC(2026, 2, 1, 12))
  })

  it('reads the past only of what is under pressure', async () => {
    const asked: number[] = []
    const counted = { ...store, reader: (gridId: string) => countingReader(gridId) }
    const countingReader = (gridId: string) => {
      const reader = store.reader(gridId)
      return {
        ...reader,
        pointsOf: (...question: Parameters<typeof reader.pointsOf>) => {
          asked.push(question[0].length)
          return reader.pointsOf(...question)
        },
      }
    }
    const own = await createTestApp({ telemetry: counted })
    const url = `/apm/diagnostics/${own.gridId}/pressure`
    const key = await own.key()
    await own.ask({ url, headers: key })
    expect(asked).toHaveLength(1)
    await store.writeMetrics(
      own.gridId,
      pool(119, 20).map(({ minute, ...point }) => metricPointOf({ atMs: minute * MINUTE_MS, ...point })),
    )
    expect((await own.ask({ url, headers: key })).body['pressurePoints']).toHaveLength(1)
    expect(asked).toHaveLength(3)
    expect(asked[2]).toBeLessThan(20)
    await own.app.close()
  })

  let made = 0
  const failed = (minute: number, count: number, literal: SpanLiteral): SpanLiteral[] =>
    Array.from({ length: count }, (_, n) => {
      const id = (++made).toString(16)
      return {
        trace: id,
        id,
        service: 'shop',
        kind: 'CLIENT' as const,
        status: 'ERROR' as const,
        atMs: minute * MINUTE_MS + n,
        ...literal,
      }
    })

  it('is told by traces where no metric tells', async () => {
    const message = 'remaining connection slots are reserved for roles with the SUPERUSER attribute'
    const exception = {
      name: 'exception',
      timeNs: 1n,
      attributes: { 'exception.type': 'PSQLException', 'exception.message': message },
    }
    await store.writeSpans(
      test.gridId,
      spanColumnsOf([
        ...failed(118, 8, { attributes: { 'http.response.status_code': 429, 'server.address': 'api.bank.example' } }),
        ...failed(119, 8, { service: 'stock', attributes: { 'db.namespace': 'stock' }, events: [exception] }),
        ...failed(100, 50, { service: 'old', attributes: { 'http.response.status_code': 429, 'server.address': 'x' } }),
      ]),
    )
    expect(await found()).toEqual([
      {
        type: 'rate_limit',
        serviceName: 'shop',
        resource: 'api.bank.example',
        utilization: 100,
        capacity: 0,
        queueDepth: 0,
        severity: 'critical',
        detectedAt: '2026-03-01T11:58:00.000Z',
      },
      {
        type: 'connection_pool',
        serviceName: 'stock',
        resource: 'stock',
        utilization: 100,
        capacity: 0,
        queueDepth: 0,
        severity: 'critical',
        detectedAt: '2026-03-01T11:59:00.000Z',
      },
    ])
  })

  it('is told of requests that stay below a ceiling while callers wait', async () => {
    const waitsMs = [10, 200, 600, 1200, 2000]
    const spans = waitsMs.flatMap((waitMs, i) =>
      Array.from({ length: 60 }, (_, n): SpanLiteral[] => {
        const id = (++made).toString(16)
        const atMs = (115 + i) * MINUTE_MS + n * 900
        const call = {
          trace: id,
          id: `a${id}`,
          service: 'web',
          kind: 'CLIENT' as const,
          atMs,
          durationMs: 4000 + waitMs,
        }
        const work = {
          trace: id,
          id: `b${id}`,
          parent: `a${id}`,
          service: 'shop',
          kind: 'SERVER' as const,
          atMs,
          durationMs: 4000,
        }
        return [call, work]
      }).flat(),
    )
    await store.writeSpans(test.gridId, spanColumnsOf(spans))
    expect(await found()).toEqual([
      {
        type: 'concurrency',
        serviceName: 'shop',
        resource: 'requests',
        utilization: 100,
        capacity: 4,
        queueDepth: 2,
        severity: 'critical',
        detectedAt: '2026-03-01T11:55:00.000Z',
      },
    ])
  })

  it.each([
    ['?at=soon', /^at must be an ISO 8601 datetime/],
    ['?at=2026-03-01T12:00:00.001Z', 'at must not be in the future.'],
    ['?window=0', 'window must be an integer of 1 to 1440.'],
    ['?window=1441', 'window must be an integer of 1 to 1440.'],
  ])('refuses %s', async (query, detail) => {
    const answer = await ask(query)
    expect(answer).toMatchObject(problem('invalid-parameter'))
    expect(answer.detail).toMatch(detail)
  })

  it('is told to those who may read only', async () => {
    headers = await test.key('Owner', ['ingest'])
    expect((await ask()).status).toBe(403)
  })
})
