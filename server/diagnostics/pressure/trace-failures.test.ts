import { describe, expect, it } from 'vitest'
import type { Attributes } from '../../domain/attributes.ts'
import type { Span } from '../../domain/span.ts'
import { type SpanLiteral, spanOf } from '../../storage/conformance/span-builder.ts'
import { atNs } from '../../storage/conformance/test-time.ts'
import { failuresOf } from '../../storage/memory/failures-in.ts'
import type { RequestMinute } from './request-minutes.ts'
import { AT_MS, gauge, lastMinutes, pointsOf, pressureOf, updown } from './testing/metric-series.ts'

const MINUTE_MS = 60_000
const HIKARI =
  'pay-primary - Connection is not available, request timed out after 30000ms (total=10, active=10, idle=0, waiting=34)'

const exception = (type: string, message: string) => ({
  name: 'exception',
  timeNs: 0n,
  attributes: { 'exception.type': type, 'exception.message': message },
})

let made = 0
/** Failed spans of `shop`, each in a trace of its own, so many seconds before the moment asked about. */
const failed = (secondsAgo: number[], literal: SpanLiteral): Span[] =>
  secondsAgo.map((seconds) => {
    const id = (++made).toString(16)
    return spanOf({
      trace: id,
      id,
      service: 'shop',
      kind: 'SERVER',
      status: 'ERROR',
      atMs: AT_MS - seconds * 1000,
      ...literal,
    })
  })
const answered = (secondsAgo: number[], attributes: Attributes, more: SpanLiteral = {}): Span[] =>
  failed(secondsAgo, { operation: 'POST /pay', attributes, ...more })

const minute = (minutesAgo: number, requestCount: number, errorCount = 0, serviceName = 'shop'): RequestMinute => ({
  serviceName,
  minuteNs: atNs(AT_MS - minutesAgo * MINUTE_MS),
  requestCount,
  errorCount,
  durationMs: 0,
})

const said = (errorSpans: Span[], requests: RequestMinute[] = [], metrics = pointsOf(), window = lastMinutes(5)) =>
  pressureOf(metrics, {
    failures: { failures: failuresOf(errorSpans, window), asked: window, window, requests },
  })

const poolTimeouts = (secondsAgo: number[]) =>
  failed(secondsAgo, { events: [exception('java.sql.SQLTransientConnectionException', HIKARI)] })

describe('failed requests', () => {
  it('tell of a pool without connections, with the figures of its message', () => {
    expect(said(poolTimeouts([100, 70, 40, 10]))).toEqual([
      {
        type: 'connection_pool',
        serviceName: 'shop',
        resource: 'pay-primary',
        utilization: 100,
        capacity: 10,
        queueDepth: 34,
        severity: 'critical',
        detectedAt: new Date(Date.UTC(2026, 2, 1, 10, 30) - 100_000).toISOString(),
      },
    ])
  })

  it('tell nothing where they are but a few', () => {
    expect(said(poolTimeouts([40, 10]))).toEqual([])
    const busy = [1, 2, 3, 4, 5].map((ago) => minute(ago, 1000))
    expect(said(poolTimeouts([40, 30, 20, 10]), busy)).toEqual([])
  })

  it('tell nothing of a limit where another one refuses a call only now and then', () => {
    const asked = [1, 2, 3, 4, 5].map((ago) => minute(ago, 75))
    const attributes = { 'http.response.status_code': 503, 'server.address': 'mail' }
    const refused = (count: number) =>
      answered(
        Array.from({ length: count }, (_, n) => 10 + 10 * n),
        attributes,
        { kind: 'CLIENT' },
      )
    expect(said(refused(5), asked)).toEqual([])
    expect(said(refused(19), asked)).toMatchObject([{ type: 'rate_limit', resource: 'mail' }])
  })

  it('count once a trace, where they climb up through its spans', () => {
    const trace = poolTimeouts([10]).flatMap((span) => [span, { ...span, spanId: 'aaaa', parentSpanId: span.spanId }])
    expect(said([...trace, ...trace, ...trace])).toEqual([])
  })

  it('belong to the service where they began, not to its callers', () => {
    const traces = poolTimeouts([40, 30, 20, 10])
    const callers = traces.map((span) => ({
      ...span,
      spanId: 'ffff',
      serviceName: 'web',
      statusMessage: HIKARI,
      parentSpanId: '',
    }))
    const callees = traces.map((span) => ({ ...span, parentSpanId: 'ffff' }))
    expect(said([...callers, ...callees]).map(({ serviceName }) => serviceName)).toEqual(['shop'])
  })

  it('call a pool that nobody named by its database', () => {
    const attributes = { 'db.system.name': 'postgresql', 'db.namespace': 'orders' }
    const events = [exception('Error', 'timeout exceeded when trying to connect')]
    expect(said(failed([40, 20, 10], { attributes, events, kind: 'CLIENT' }))).toMatchObject([
      { resource: 'orders', capacity: 0 },
    ])
  })

  it('are told by their status message too', () => {
    expect(said(failed([40, 20, 10], { statusMessage: 'FATAL: sorry, too many clients already' }))).toMatchObject([
      { type: 'connection_pool', resource: 'connection pool' },
    ])
  })

  it('are not asked where metrics measure the pools of the service', () => {
    const pool = { 'pool.name': 'other' }
    const measured = pointsOf(
      updown('db.client.connections.usage', 1, { ...pool, state: 'used' }),
      updown('db.client.connections.max', 10, pool),
    )
    expect(said(poolTimeouts([40, 20, 10]), [], measured)).toEqual([])
    const stale = pointsOf(gauge('hikaricp.connections.active', [1], { pool: 'x' }, { agoMs: 400_000 }))
    expect(said(poolTimeouts([40, 20, 10]), [], stale)).toHaveLength(1)
  })

  it.each([
    ['429 of another one', { 'http.response.status_code': 429, 'server.address': 'bank' }, 'CLIENT', 'bank'],
    ['429 by its former name', { 'http.status_code': 429, 'net.peer.name': 'bank' }, 'CLIENT', 'bank'],
    ['503 of its own', { 'http.response.status_code': 503 }, 'SERVER', 'POST /pay'],
    [
      'RESOURCE_EXHAUSTED',
      { 'rpc.response.status_code': 'RESOURCE_EXHAUSTED', 'peer.service': 'bank' },
      'CLIENT',
      'bank',
    ],
    ['RESOURCE_EXHAUSTED as a number', { 'rpc.grpc.status_code': 8, 'rpc.service': 'Bank' }, 'CLIENT', 'Bank'],
  ] as const)('tell of a rate limit by answers of %s', (_, attributes, kind, resource) => {
    expect(said(answered([40, 30, 20, 10], attributes, { kind }))).toMatchObject([
      { type: 'rate_limit', serviceName: 'shop', resource, utilization: 100, severity: 'critical' },
    ])
  })

  it('tell of no rate limit by other answers, nor by a 503 that has a reason', () => {
    expect(said(answered([40, 30, 20, 10], { 'http.response.status_code': 500 }))).toEqual([])
    const events = [exception('java.net.ConnectException', 'Connection refused')]
    expect(said(answered([40, 30, 20, 10], { 'http.response.status_code': 503 }, { events }))).toEqual([])
  })

  it('tell of no rate limit where a 503 only passes on what failed below', () => {
    const refused = answered([40, 30, 20, 10], { 'http.response.status_code': 503 })
    const below = refused.map((span) => ({ ...span, spanId: 'dddd', parentSpanId: span.spanId, attributes: {} }))
    expect(said([...refused, ...below])).toEqual([])
  })

  it('began after the last pause of more than a minute', () => {
    const [point] = said(poolTimeouts([290, 280, 150, 100, 60, 10]))
    expect(point?.detectedAt).toBe('2026-03-01T10:27:30.000Z')
  })

  it('began earlier where the minutes before failed as much', () => {
    const minutes = [minute(5, 60, 20), minute(6, 60, 18), minute(7, 60, 15), minute(8, 60, 5)]
    const [point] = said(poolTimeouts([290, 240, 190, 140, 90, 40]), minutes)
    expect(point?.detectedAt).toBe('2026-03-01T10:22:45.000Z')
  })

  it('are over where the last one was two minutes ago', () => {
    expect(said(poolTimeouts([180, 150, 120]))).toHaveLength(1)
    expect(said(poolTimeouts([180, 150, 121]))).toEqual([])
  })

  it('are weighed by the time that they are known of', () => {
    const busy = [1, 2, 3, 4, 5].map((ago) => minute(ago, 600))
    const window = { startNs: atNs(AT_MS - 30_000), endNs: atNs(AT_MS) }
    expect(said(poolTimeouts([20, 10, 5, 1]), busy, [], window)).toHaveLength(1)
    expect(said(poolTimeouts([20, 10, 5, 1]), busy)).toEqual([])
  })
})
