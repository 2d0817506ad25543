import { describe, expect, it } from 'vitest'
import { spanOf } from '../storage/conformance/span-builder.ts'
import { WHOLE_WINDOW } from '../storage/conformance/test-time.ts'
import { failuresOf } from '../storage/memory/failures-in.ts'
import { type ServiceFacts, serviceDetail } from './service-detail.ts'
import { edgeOf, groupOf, rising } from './testing/request-group.ts'

const detail = (facts: Partial<ServiceFacts> = {}) =>
  serviceDetail({
    serviceName: 'shop',
    requests: [],
    edges: [],
    failures: failuresOf([], WHOLE_WINDOW),
    apdex: { defaultMs: 500, byService: {} },
    ...facts,
  })

describe('serviceDetail', () => {
  it('shows everything about a service', () => {
    const answer = detail({
      requests: [
        groupOf([...rising(18), 600, 3000], { operationName: 'GET /cart', errorCount: 1 }),
        groupOf(rising(40), { operationName: 'POST /orders' }),
      ],
      edges: [edgeOf({ targetName: 'redis' }), edgeOf({ sourceName: 'gate', targetName: 'shop', errorCount: 10 })],
      failures: failuresOf(
        [spanOf({ status: 'ERROR', statusMessage: 'it broke', attributes: { 'error.type': 'io' } })],
        WHOLE_WINDOW,
      ),
    })
    expect(answer).toEqual({
      serviceName: 'shop',
      status: 'healthy',
      apdex: 0.96,
      errorRate: 1.67,
      requestCount: 60,
      endpoints: [
        { operation: 'POST /orders', requestCount: 40, errorRate: 0, avgLatencyMs: 20.5, p95LatencyMs: 38 },
        { operation: 'GET /cart', requestCount: 20, errorRate: 5, avgLatencyMs: 188.55, p95LatencyMs: 600 },
      ],
      topErrors: [{ exceptionType: 'io', message: 'it broke', count: 1, percentage: 100 }],
      dependencies: [{ name: 'redis', status: 'healthy', errorRate: 0, avgLatencyMs: 10 }],
    })
  })

  it('judges the service by all of its endpoints together', () => {
    const requests = [groupOf(rising(70)), groupOf(rising(30), { errorCount: 30 })]
    expect(detail({ requests })).toMatchObject({ status: 'unhealthy', errorRate: 30 })
  })

  it('knows nothing of a service that was asked nothing', () => {
    expect(detail()).toEqual({
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

  it('calls it unhealthy where its callers fail to reach it', () => {
    const edges = [edgeOf({ sourceName: 'gate', targetName: 'shop', errorCount: 3, unansweredErrorCount: 3 })]
    expect(detail({ edges }).status).toBe('unhealthy')
  })

  it('lists the 100 most used endpoints, equal ones by name', () => {
    const requests = rising(105).map((n) => groupOf(rising(n <= 6 ? 1 : 2), { operationName: `op ${1000 + n}` }))
    const { endpoints, requestCount } = detail({ requests })
    expect(endpoints).toHaveLength(100)
    expect(endpoints[0]?.operation).toBe('op 1007')
    expect(endpoints[99]).toMatchObject({ operation: 'op 1001', requestCount: 1 })
    expect(requestCount).toBe(6 + 2 * 99)
  })
})
