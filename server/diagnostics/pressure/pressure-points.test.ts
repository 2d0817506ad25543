import { describe, expect, it } from 'vitest'
import { atNs } from '../../storage/conformance/test-time.ts'
import { recentMetrics } from './pressure-points.ts'
import { AT_MS, gauge, lastMinutes, pointsOf, pressureOf, updown } from './testing/metric-series.ts'

const loop = (service: string, instance: string, value: number) =>
  gauge('nodejs.eventloop.utilization', value, {}, { service, resource: { 'service.instance.id': instance } })

describe('pressure points', () => {
  it('are none without telemetry', () => {
    expect(pressureOf([])).toEqual([])
  })

  it('are rounded only after they were judged', () => {
    expect(pressureOf(pointsOf(gauge('process.memory.utilization', 0.949999)))).toMatchObject([
      { utilization: 95, severity: 'warning' },
    ])
    expect(pressureOf(pointsOf(gauge('process.memory.utilization', 0.7999999)))).toEqual([])
  })

  it('come critical first, then by utilization', () => {
    const points = pointsOf(
      loop('a', '1', 0.85),
      loop('b', '1', 0.99),
      loop('c', '1', 0.93),
      loop('d', '1', 0.96),
      gauge('kafka.consumer.records_lag', [10, 900, 5000], { topic: 'orders' }, { service: 'e' }),
    )
    expect(pressureOf(points).map(({ serviceName }) => serviceName)).toEqual(['b', 'd', 'e', 'c', 'a'])
  })

  it('name the worst instance where several have the resource, pressed or not', () => {
    const points = pointsOf(loop('shop', 'shop-1', 0.9), loop('shop', 'shop-2', 0.97), loop('shop', 'shop-3', 0.1))
    expect(pressureOf(points)).toMatchObject([{ resource: 'event loop on shop-2', utilization: 97 }])
    expect(pressureOf(pointsOf(loop('shop', 'shop-1', 0.9)))).toMatchObject([{ resource: 'event loop' }])
  })

  it('call an instance by its pod rather than by a made-up id', () => {
    const of = (pod: string, value: number) => {
      const resource = { 'service.instance.id': `95799396-59b8-4499-abcc-${pod}`, 'k8s.pod.name': pod }
      return gauge('nodejs.eventloop.utilization', value, {}, { resource })
    }
    expect(pressureOf(pointsOf(of('shop-1', 0.9), of('shop-2', 0.2)))).toMatchObject([
      { resource: 'event loop on shop-1' },
    ])
  })

  it('tell one thing once, whichever metrics tell of it', () => {
    const points = pointsOf(gauge('process.cpu.utilization', 0.91), gauge('jvm.cpu.recent_utilization', 0.92))
    expect(pressureOf(points)).toMatchObject([{ type: 'cpu', resource: 'cpu', utilization: 92 }])
  })

  it('have whole numbers of what waits', () => {
    const pool = { 'pool.name': 'db' }
    const points = pointsOf(
      updown('db.client.connections.usage', 9, { ...pool, state: 'used' }),
      updown('db.client.connections.max', 10, pool),
      updown('db.client.connections.pending_requests', 2.4, pool),
    )
    expect(pressureOf(points)).toMatchObject([{ queueDepth: 2 }])
  })

  it('are at most a hundred, the worst ones', () => {
    const many = Array.from({ length: 150 }, (_, i) => loop(`service-${i}`, '1', 0.8 + i / 1000))
    const found = pressureOf(pointsOf(...many))
    expect(found).toHaveLength(100)
    expect(found[0]?.serviceName).toBe('service-149')
  })

  it('pass over metrics that the catalogue does not know', () => {
    expect(pressureOf(pointsOf(gauge('orders.open', 1e9), gauge('constructor', 1), gauge('__proto__', 1)))).toEqual([])
  })
})

describe('the metrics whose history matters', () => {
  const names = (...series: Parameters<typeof pointsOf>) =>
    recentMetrics(pointsOf(...series), lastMinutes(5).endNs).underPressure

  it('are none where nothing is at its limit', () => {
    expect(names(loop('shop', '1', 0.79), gauge('kafka.consumer.records_lag', 99, { topic: 'orders' }))).toEqual([])
  })

  it('are all that tell of what is, under each of their names', () => {
    const found = names(loop('shop', '1', 0.8))
    expect(found).toContain('nodejs.eventloop.utilization')
    expect(found).toContain('nodejs_eventloop_utilization_ratio')
    expect(found).not.toContain('kafka.consumer.records_lag')
  })

  it('are those of a backlog, which only its history tells from a usual one', () => {
    expect(names(gauge('kafka.consumer.records_lag', 100, { topic: 'orders' }))).toContain('kafka.consumer.records_lag')
  })

  it('are none of what is stale', () => {
    const points = pointsOf(gauge('nodejs.eventloop.utilization', 0.9))
    expect(recentMetrics(points, atNs(AT_MS + 290_000)).underPressure).not.toEqual([])
    expect(recentMetrics(points, atNs(AT_MS + 290_001)).underPressure).toEqual([])
  })
})
