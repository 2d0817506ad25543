import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SpanLiteral } from '../../../storage/conformance/span-builder.ts'
import { createDiagnosticsTest, type DiagnosticsTest, requestsAt } from './testing/diagnostics-test.ts'

let test: DiagnosticsTest
beforeAll(async () => {
  test = await createDiagnosticsTest()
})
beforeEach(() => test.useNewGrid())
afterAll(() => test.app.app.close())

const services = async (query = '') => (await test.ask(`services${query}`)).body

/** A request of shop that calls cart and a database, and tells a queue. */
function traceAt(minute: number, trace: string, failing = false): SpanLiteral[] {
  const atMs = minute * 60_000
  const status = failing ? 'ERROR' : 'OK'
  const own = { trace, atMs }
  return [
    { ...own, id: `${trace}1`, kind: 'SERVER', durationMs: 50 },
    { ...own, id: `${trace}2`, parent: `${trace}1`, kind: 'CLIENT', durationMs: 20, status },
    { ...own, id: `${trace}3`, parent: `${trace}2`, kind: 'SERVER', service: 'cart', durationMs: 10, status },
    {
      ...own,
      id: `${trace}4`,
      parent: `${trace}1`,
      kind: 'CLIENT',
      durationMs: 4,
      attributes: { 'db.system': 'postgresql', 'db.namespace': 'orders' },
    },
    {
      ...own,
      id: `${trace}5`,
      parent: `${trace}1`,
      kind: 'PRODUCER',
      durationMs: 1,
      attributes: { 'messaging.system': 'kafka', 'messaging.destination.name': 'mail' },
    },
  ]
}

describe('the dependency map', () => {
  it('is empty without data', async () => {
    expect(await services()).toEqual({ services: [], edges: [] })
  })

  it('has services and their calls, most used first', async () => {
    await test.app.write([...traceAt(110, 'a'), ...traceAt(111, 'b', true), ...requestsAt(112, 5, { service: 'gate' })])
    expect(await services()).toEqual({
      services: [
        { name: 'gate', type: 'SERVER', requestCount: 5, errorRate: 0 },
        { name: 'cart', type: 'SERVER', requestCount: 2, errorRate: 50 },
        { name: 'shop', type: 'SERVER', requestCount: 2, errorRate: 0 },
      ],
      edges: [
        { source: 'shop', target: 'cart', requestCount: 2, errorRate: 50, avgLatencyMs: 20 },
        { source: 'shop', target: 'kafka/mail', requestCount: 2, errorRate: 0, avgLatencyMs: 1 },
        { source: 'shop', target: 'postgresql/orders', requestCount: 2, errorRate: 0, avgLatencyMs: 4 },
      ],
    })
  })

  it('joins a consumer in another trace by its link', async () => {
    const link = { traceId: 'a'.padStart(32, '0'), spanId: 'a5'.padStart(16, '0'), attributes: {} }
    await test.app.write([
      ...traceAt(110, 'a'),
      ...requestsAt(111, 1, { service: 'mailer', kind: 'CONSUMER', links: [link] }),
    ])
    const { edges, services: listed } = await services()
    expect(edges).toContainEqual({ source: 'shop', target: 'mailer', requestCount: 1, errorRate: 0, avgLatencyMs: 1 })
    expect(listed).toContainEqual({ name: 'mailer', type: 'CONSUMER', requestCount: 1, errorRate: 0 })
  })

  it('counts the roots of a service that nobody asks', async () => {
    await test.app.write(requestsAt(110, 3, { service: 'job', kind: 'INTERNAL' }))
    expect(await services()).toMatchObject({ services: [{ name: 'job', type: 'INTERNAL', requestCount: 3 }] })
  })

  it('is that of the window', async () => {
    await test.app.write([...traceAt(100, 'a'), ...traceAt(110, 'b')])
    expect((await services())['services']).toMatchObject([{ requestCount: 1 }, { requestCount: 1 }])
    expect((await services('?window=20'))['services']).toMatchObject([{ requestCount: 2 }, { requestCount: 2 }])
    expect(await services('?at=2026-03-01T11:00:00Z')).toEqual({ services: [], edges: [] })
  })
})
