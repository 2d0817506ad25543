import { attributesOf, nanosecondsOf, type OtlpRecord } from '../otlp-records.ts'
import type { SeededNumbers } from './seeded-numbers.ts'

const POINTS = 20
const EVERY_MS = 30_000
const STALE_MS = 6 * 60_000

/** A connection pool whose use rises once, and what waits for it all the time. */
export interface Pool {
  service: string
  name: string
  max: number
  usedBefore: number
  usedAfter: number
  waiting: number
  /** The first point after it rose. */
  risesAt: number
  /** When its newest point was: as long ago as that it says nothing any more. */
  newestMs: number
}

export function poolsOf(random: SeededNumbers, count: number): Pool[] {
  return Array.from({ length: count }, (_, n) => {
    const max = 10 + random.below(40)
    return {
      service: `service-${n % 5}`,
      name: `pool-${n}`,
      max,
      usedBefore: Math.floor(max * 0.3),
      usedAfter: Math.ceil(max * (0.6 + 0.4 * random.fraction())),
      waiting: random.below(20),
      risesAt: 1 + random.below(POINTS - 2),
      newestMs: n % 6 === 5 ? -STALE_MS : -random.below(20_000) - 1,
    }
  })
}

export function poolRecords(pools: Pool[], momentMs: number): OtlpRecord[] {
  return pools.flatMap((pool) =>
    Array.from({ length: POINTS }, (_, n) => {
      const used = n < pool.risesAt ? pool.usedBefore : pool.usedAfter
      const point = (name: string, value: number, more: Record<string, string> = {}) => ({
        resource: { 'service.name': pool.service },
        record: {
          name: `db.client.connection.${name}`,
          unit: '{connection}',
          sum: {
            isMonotonic: false,
            aggregationTemporality: 2,
            dataPoints: [
              {
                timeUnixNano: nanosecondsOf(momentMs + timeOf(pool, n)),
                asInt: String(value),
                attributes: attributesOf({ 'db.client.connection.pool.name': pool.name, ...more }),
              },
            ],
          },
        },
      })
      return [
        point('count', used, { 'db.client.connection.state': 'used' }),
        point('count', pool.max - used, { 'db.client.connection.state': 'idle' }),
        point('max', pool.max),
        point('pending_requests', pool.waiting),
      ]
    }).flat(),
  )
}

/** Those from 80 % on whose newest point is young enough. */
export function expectedPools(pools: Pool[]) {
  return pools
    .filter(({ newestMs, usedAfter, max }) => newestMs > -STALE_MS && usedAfter / max >= 0.8)
    .map((pool) => ({
      type: 'connection_pool',
      serviceName: pool.service,
      resource: pool.name,
      utilization: (pool.usedAfter / pool.max) * 100,
      capacity: pool.max,
      queueDepth: pool.waiting,
      severity: pool.usedAfter / pool.max >= 0.95 ? 'critical' : 'warning',
      atMs: timeOf(pool, pool.risesAt),
    }))
}

function timeOf({ newestMs }: Pool, point: number): number {
  return newestMs - (POINTS - 1 - point) * EVERY_MS
}
