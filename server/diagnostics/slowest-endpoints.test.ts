import { describe, expect, it } from 'vitest'
import { slowestEndpoints } from './slowest-endpoints.ts'
import { groupOf, rising } from './testing/request-group.ts'

const operations = (groups: Parameters<typeof slowestEndpoints>[0]) =>
  slowestEndpoints(groups).map(({ operation }) => operation)

describe('slowestEndpoints', () => {
  it('is empty without data', () => expect(slowestEndpoints([])).toEqual([]))

  it('shows every figure', () => {
    expect(slowestEndpoints([groupOf(rising(200), { errorCount: 3 })])).toEqual([
      {
        rank: 1,
        serviceName: 'shop',
        operation: 'GET /',
        avgLatencyMs: 100.5,
        p95LatencyMs: 190,
        p99LatencyMs: 198,
        requestCount: 200,
        errorRate: 1.5,
      },
    ])
  })

  it('ranks by the 99th percentile, not by the average', () => {
    const spiky = groupOf([...rising(98, 0.01), 900, 900], { operationName: 'spiky' })
    const steady = groupOf(new Array<number>(100).fill(500), { operationName: 'steady' })
    expect(slowestEndpoints([steady, spiky]).map(({ rank, operation }) => [rank, operation])).toEqual([
      [1, 'spiky'],
      [2, 'steady'],
    ])
  })

  it('ranks those with under 5 requests last, among themselves by the same rule', () => {
    expect(
      operations([
        groupOf([9000, 9000, 9000, 9000], { operationName: 'rare' }),
        groupOf([9500], { operationName: 'once' }),
        groupOf([1, 1, 1, 1, 1], { operationName: 'fast' }),
        groupOf([7, 7, 7, 7, 7], { operationName: 'slow' }),
      ]),
    ).toEqual(['slow', 'fast', 'once', 'rare'])
  })

  it('keeps the 20 slowest', () => {
    const groups = rising(25).map((ms) => groupOf([ms, ms, ms, ms, ms], { operationName: `after ${ms}` }))
    const slowest = slowestEndpoints(groups)
    expect(slowest.map(({ rank }) => rank)).toEqual(rising(20))
    expect([slowest[0]?.operation, slowest[19]?.operation]).toEqual(['after 25', 'after 6'])
  })

  it('orders equal ones by average, service and operation', () => {
    const five = [5, 5, 5, 5, 5]
    expect(
      operations([
        groupOf(five, { serviceName: 'b', operationName: '3' }),
        groupOf(five, { serviceName: 'a', operationName: '2' }),
        groupOf([1, 5, 5, 5, 5], { serviceName: 'a', operationName: '4' }),
        groupOf(five, { serviceName: 'a', operationName: '1' }),
      ]),
    ).toEqual(['1', '2', '3', '4'])
  })

  it('keeps services with the same operation apart', () => {
    const five = [5, 5, 5, 5, 5]
    expect(slowestEndpoints([groupOf(five), groupOf(five, { serviceName: 'cart' })])).toHaveLength(2)
  })
})
