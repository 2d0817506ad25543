import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SpanLiteral } from '../../storage/conformance/span-builder.ts'
import { createTestApp, problem, type TestApp } from '../testing/test-app.ts'

let test: TestApp
let headers: Record<string, string>

beforeAll(async () => {
  test = await createTestApp()
})
beforeEach(async () => {
  await test.useNewGrid()
  headers = await test.key('Guest', ['read'])
})
afterAll(() => test.app.close())

const MINUTE_MS = 60_000
const health = (query = '') => test.ask({ url: `/apm/diagnostics/${test.gridId}/health${query}`, headers })

let made = 0
/** Requests of a service, so many minutes after 10:00. It is 12:00. */
const requests = (service: string, minute: number, count: number, literal: SpanLiteral = {}): SpanLiteral[] =>
  Array.from({ length: count }, (_, n) => {
    const id = (++made).toString(16)
    return { trace: id, id, service, kind: 'SERVER' as const, atMs: minute * MINUTE_MS + n, ...literal }
  })

describe('health', () => {
  it('is unknown without data', async () => {
    expect((await health()).body).toEqual({
      overallStatus: 'unknown',
      timestamp: '2026-03-01T12:00:00.000Z',
      services: [],
    })
  })

  it('is judged over the last 15 minutes, worst first', async () => {
    await test.write([
      ...requests('cart', 110, 9, { durationMs: 30 }),
      ...requests('cart', 110, 1, { durationMs: 40, status: 'ERROR' }),
      ...requests('shop', 119, 20, { durationMs: 12.345 }),
      ...requests('shop', 104, 50, { status: 'ERROR' }),
    ])
    expect((await health()).body).toEqual({
      overallStatus: 'degraded',
      timestamp: '2026-03-01T12:00:00.000Z',
      services: [
        { serviceName: 'cart', status: 'degraded', errorRate: 10, apdex: 0.9, requestCount: 10, avgLatencyMs: 31 },
        { serviceName: 'shop', status: 'healthy', errorRate: 0, apdex: 1, requestCount: 20, avgLatencyMs: 12.35 },
      ],
    })
  })

  it('follows the Apdex thresholds of the Grid', async () => {
    await test.write([
      ...requests('cart', 110, 10, { durationMs: 300 }),
      ...requests('shop', 110, 10, { durationMs: 300 }),
    ])
    await test.setApdex({ defaultMs: 500, byService: { cart: 50 } })
    expect((await health()).body).toMatchObject({
      services: [
        { serviceName: 'cart', apdex: 0, status: 'unhealthy' },
        { serviceName: 'shop', apdex: 1 },
      ],
    })
  })

  it('names services that fell silent, and those that cannot be reached', async () => {
    await test.write([
      ...requests('lonely', 60, 10),
      ...requests('wanted', 60, 10),
      ...requests('forgotten', 40, 10),
      ...requests('shop', 110, 10, { kind: 'CLIENT', status: 'ERROR', attributes: { 'peer.service': 'wanted' } }),
      ...requests('shop', 110, 10),
    ])
    const { overallStatus, services } = (await health()).body
    expect(overallStatus).toBe('unhealthy')
    expect(
      (services as { serviceName: string; status: string }[]).map((each) => [each.serviceName, each.status]),
    ).toEqual([
      ['wanted', 'unhealthy'],
      ['lonely', 'unknown'],
      ['shop', 'healthy'],
    ])
  })

  it('is told as of another moment, over another window', async () => {
    await test.write(requests('shop', 0, 10))
    expect((await health('?at=2026-03-01T10:10:00Z')).body).toMatchObject({
      timestamp: '2026-03-01T10:10:00.000Z',
      services: [{ serviceName: 'shop', requestCount: 10 }],
    })
    expect((await health('?at=2026-03-01T11:10:00%2B01:00&window=5')).body).toMatchObject({
      services: [{ serviceName: 'shop', requestCount: 0 }],
    })
    expect((await health('?window=180')).body).toMatchObject({ services: [{ requestCount: 10 }] })
    expect((await health('?at=2026-03-01T10:00:00Z')).body).toMatchObject({ services: [] })
    expect((await health('?at=1950-01-01T00:00:00Z')).body).toMatchObject({
      overallStatus: 'unknown',
      timestamp: '1950-01-01T00:00:00.000Z',
    })
  })

  it('counts whole minutes where spans are no longer kept', async () => {
    const tenDays = 10 * 24 * 60
    await test.write([
      ...requests('shop', 120.75 - tenDays, 10),
      ...requests('shop', 105.25 - tenDays, 10),
      ...requests('shop', 121 - tenDays, 10),
    ])
    expect((await health('?at=2026-02-19T12:00:30Z')).body).toMatchObject({
      timestamp: '2026-02-19T12:00:30.000Z',
      services: [{ requestCount: 20 }],
    })
    await test.write([...requests('cart', 120 - 24 * 60, 10), ...requests('cart', 120.75 - 24 * 60, 10)])
    expect((await health('?at=2026-02-28T12:00:30Z')).body).toMatchObject({ services: [{ requestCount: 10 }] })
  })

  it('takes a plus sign in the query that was not encoded', async () => {
    expect((await health('?at=2026-03-01T11:00:00+01:00')).body).toMatchObject({
      timestamp: '2026-03-01T10:00:00.000Z',
    })
  })

  it.each([
    ['?at=soon', /^at must be an ISO 8601 datetime/],
    ['?at=2026-03-01T12:00:00.001Z', 'at must not be in the future.'],
    ['?at=2026-03-01T10:00:00Z&at=2026-03-01T11:00:00Z', /^at must be/],
    ['?window=0', 'window must be an integer of 1 to 1440.'],
    ['?window=1441', 'window must be an integer of 1 to 1440.'],
    ['?window=1.5', 'window must be an integer of 1 to 1440.'],
    ['?window=true', 'window must be an integer of 1 to 1440.'],
    ['?window=', 'window must be an integer of 1 to 1440.'],
    ['?window=15m', 'window must be an integer of 1 to 1440.'],
  ])('refuses %s', async (query, detail) => {
    const answer = await health(query)
    expect(answer).toMatchObject(problem('invalid-parameter'))
    expect(answer.detail).toMatch(detail)
  })

  it('passes over parameters that it does not know', async () => {
    expect((await health('?colour=blue')).status).toBe(200)
  })
})
