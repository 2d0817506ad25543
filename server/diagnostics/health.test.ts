import { describe, expect, it } from 'vitest'
import type { RequestSums } from '../storage/diagnostics-reader.ts'
import { type HealthFacts, healthOverview } from './health.ts'

const requests = (serviceName: string, facts: Partial<RequestSums> = {}) => {
  const requestCount = facts.requestCount ?? 100
  return {
    serviceName,
    requestCount,
    errorCount: 0,
    durationNsSum: BigInt(requestCount) * 10_000_000n,
    satisfiedCount: requestCount - (facts.errorCount ?? 0),
    toleratingCount: 0,
    ...facts,
  }
}

const overview = (facts: Partial<HealthFacts>) => healthOverview({ current: [], baseline: [], edges: [], ...facts })
const statusOf = (facts: Partial<RequestSums>) => overview({ current: [requests('shop', facts)] }).services[0]?.status

describe('healthOverview', () => {
  it('is unknown, with no services, where there is no data', () => {
    expect(overview({})).toEqual({ overallStatus: 'unknown', services: [] })
  })

  it('shows every figure of a service', () => {
    const facts = { requestCount: 8, errorCount: 1, satisfiedCount: 5, toleratingCount: 2, durationNsSum: 100_000_000n }
    expect(overview({ current: [requests('shop', facts)] })).toEqual({
      overallStatus: 'degraded',
      services: [
        { serviceName: 'shop', status: 'degraded', errorRate: 12.5, apdex: 0.75, requestCount: 8, avgLatencyMs: 12.5 },
      ],
    })
  })

  it.each([
    ['healthy', 499, 10_000],
    ['degraded', 500, 10_000],
    ['degraded', 2499, 10_000],
    ['unhealthy', 2500, 10_000],
  ])('calls a service %s with %i errors in %i requests', (status, errorCount, requestCount) => {
    expect(statusOf({ errorCount, requestCount, satisfiedCount: requestCount })).toBe(status)
  })

  it.each([
    ['healthy', 7000],
    ['degraded', 6999],
    ['degraded', 5000],
    ['unhealthy', 4999],
  ])('calls a service %s whose apdex is %i of 10,000', (status, satisfiedCount) => {
    expect(statusOf({ requestCount: 10_000, satisfiedCount })).toBe(status)
  })

  it('judges before it rounds', () => {
    const [service] = overview({ current: [requests('shop', { requestCount: 100_000, errorCount: 4999 })] }).services
    expect(service).toMatchObject({ status: 'healthy', errorRate: 5 })
  })

  it('says at worst degraded of a service with under 5 requests', () => {
    expect(statusOf({ requestCount: 4, errorCount: 4, satisfiedCount: 0 })).toBe('degraded')
    expect(statusOf({ requestCount: 5, errorCount: 5, satisfiedCount: 0 })).toBe('unhealthy')
  })

  it('lists a service that fell silent, as unknown', () => {
    const { services } = overview({ baseline: [requests('cart')] })
    expect(services).toEqual([
      { serviceName: 'cart', status: 'unknown', errorRate: 0, apdex: 1, requestCount: 0, avgLatencyMs: 0 },
    ])
  })

  it('calls a silent service unhealthy where its callers fail to reach it', () => {
    const edges = [{ targetName: 'cart', unansweredErrorCount: 3 }]
    expect(overview({ baseline: [requests('cart')], edges }).services[0]?.status).toBe('unhealthy')
  })

  it('leaves a silent service unknown where every call to it was answered', () => {
    const edges = [{ targetName: 'cart', unansweredErrorCount: 0 }]
    expect(overview({ baseline: [requests('cart')], edges }).services[0]?.status).toBe('unknown')
  })

  it('does not list what callers fail to reach and the baseline never knew', () => {
    expect(overview({ edges: [{ targetName: 'elsewhere', unansweredErrorCount: 3 }] }).services).toEqual([])
  })

  it('lists the worst first, then the most asked, then by name', () => {
    const { overallStatus, services } = overview({
      current: [
        requests('quiet', { requestCount: 10 }),
        requests('busy', { requestCount: 1000 }),
        requests('equal', { requestCount: 10 }),
        requests('slow', { satisfiedCount: 60 }),
        requests('broken', { errorCount: 90 }),
      ],
      baseline: [requests('silent'), requests('busy')],
    })
    expect(services.map(({ serviceName }) => serviceName)).toEqual([
      'broken',
      'slow',
      'silent',
      'busy',
      'equal',
      'quiet',
    ])
    expect(overallStatus).toBe('unhealthy')
  })

  it('takes a service that fell silent for worse than a healthy one', () => {
    expect(overview({ current: [requests('shop')], baseline: [requests('cart')] }).overallStatus).toBe('unknown')
  })
})
