import { ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer'
import { describe, expect, it } from 'vitest'
import { incidentOf } from '../../demo/incidents/catalogue.ts'
import type { IncidentKind } from '../../demo/incidents/incident.ts'
import { simulate } from '../../demo/simulation.ts'
import type { MetricPoint } from '../../domain/metric-point.ts'
import { decodeMetrics } from '../../ingest/otlp/decode-metrics.ts'
import { metricGroups } from './metric-groups.ts'
import { type Saturation, saturations } from './saturation.ts'

const START_MS = Date.UTC(2026, 2, 3, 10)
const MINUTE_MS = 60_000
const BEGINS_MS = MINUTE_MS
const LIMITS = { oldestNs: 0n, newestNs: 1n << 62n, nowNs: BigInt(START_MS) * 1_000_000n }
const nsAfterStart = (ms: number): bigint => BigInt(START_MS + ms) * 1_000_000n

/** The metrics that the shop sends, as they arrive. */
function metricsOf(durationMs: number, kind?: IncidentKind, place = 0): MetricPoint[] {
  const incidents = kind ? [{ incident: incidentOf(kind, place), afterMs: BEGINS_MS, lastsMs: durationMs }] : []
  const shop = simulate({
    seed: 'pressure',
    ratePerSecond: 20,
    startEpochMs: START_MS,
    durationMs,
    incidents,
    sliceMs: 15_000,
  })
  return [...shop]
    .flatMap(({ metrics }) => metrics)
    .flatMap(
      (metrics) =>
        decodeMetrics(ProtobufMetricsSerializer.serializeRequest(metrics) ?? new Uint8Array(), LIMITS).points,
    )
    .sort((a, b) => Number(a.timeNs - b.timeNs))
}

function found(durationMs: number, kind?: IncidentKind, place?: number): Saturation[] {
  const window = { startNs: nsAfterStart(0), endNs: nsAfterStart(durationMs) }
  return saturations(metricsOf(durationMs, kind, place), window).filter(({ isLasting }) => isLasting)
}

describe('the shop of the demo', () => {
  it('is under no pressure on a calm day', () => {
    expect(found(3 * MINUTE_MS)).toEqual([])
  })

  it('is read with all of its pools, threads, queues, loops, processors and heaps', () => {
    const types = new Set(
      metricGroups(metricsOf(MINUTE_MS)).map(({ entry, serviceName }) => `${entry.type} ${serviceName}`),
    )
    expect(types).toContain('connection_pool inventory')
    expect(types).toContain('thread_pool payments')
    expect(types).toContain('queue notifications')
    expect([...types].filter((type) => type.startsWith('cpu'))).toHaveLength(10)
    for (const type of ['event_loop', 'memory', 'concurrency']) expect([...types].join()).toContain(type)
  })

  it.each([
    [0, 'inventory', 'inventory-db'],
    [1, 'accounts', 'accounts-db'],
  ])('has a pool without connections where they are lost (%i)', (place, serviceName, resource) => {
    const pools = found(BEGINS_MS + MINUTE_MS, 'pool-exhaustion', place).filter(
      ({ type }) => type === 'connection_pool',
    )
    expect(pools.length).toBeGreaterThan(0)
    for (const pool of pools) {
      expect(pool).toMatchObject({ serviceName, resource, severity: 'critical', utilization: 100 })
      expect(pool.onsetNs).toBeGreaterThan(nsAfterStart(BEGINS_MS))
    }
  })

  it('has full processors where too many customers come', () => {
    const all = found(BEGINS_MS + MINUTE_MS, 'traffic-surge')
    expect(
      all.some(({ type, serviceName }) => type === 'cpu' && serviceName === incidentOf('traffic-surge', 0).service),
    ).toBe(true)
  })
})
