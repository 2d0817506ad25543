import { describe, expect, it } from 'vitest'
import type { MetricPoint } from '../../domain/metric-point.ts'
import { metricPointOf, type PointLiteral } from '../../storage/conformance/metric-builder.ts'
import { ruleValues } from './rule-values.ts'
import { seriesByService } from './service-series.ts'
import { lookAt, ruleOf, timeMs } from './testing/minute-fixture.ts'

/** A point so many minutes after minute 0. */
function point(minute: number, literal: PointLiteral): MetricPoint {
  return metricPointOf({ name: 'm', service: 'shop', ...literal, timeNs: BigInt(timeMs(minute)) * 1_000_000n })
}

function value(points: MetricPoint[], comparator: '>' | '<' = '>', windowMinutes = 5) {
  const series = seriesByService({ requests: [], logCounts: [], points }).get('shop')
  if (!series) return undefined
  return ruleValues(ruleOf({ metric: 'm', comparator, windowMinutes }), series, lookAt(0)).valueAt(0)
}

const histogram = (count: number, sum: number) => ({
  count,
  sum,
  min: null,
  max: null,
  explicitBounds: [],
  bucketCounts: [],
})

describe('a gauge', () => {
  it('is its average over the window, where that is worst', () => {
    const points = [-9, -2, -1].flatMap((minute) => [
      point(minute, { value: minute * -10, attributes: { queue: 'a' } }),
      point(minute, { value: 4, attributes: { queue: 'b' } }),
    ])
    expect(value(points)).toBe(15)
    expect(value(points, '<')).toBe(4)
  })

  it('is nothing without a point, or with points that hold no value', () => {
    expect(value([point(-9, { value: 1 })])).toBeUndefined()
    expect(value([point(-1, { value: null })])).toBeUndefined()
    expect(value([])).toBeUndefined()
  })

  it('of another service does not count', () => {
    expect(value([point(-1, { value: 7, service: 'cart' }), point(-1, { value: 3 })])).toBe(3)
  })

  it('may be an integer beyond 2^53', () => {
    expect(value([point(-1, { value: 2n ** 60n })])).toBe(2 ** 60)
  })
})

describe('a sum', () => {
  const sum = { type: 'sum', monotonic: true, temporality: 'cumulative' } as const

  it('that may fall is read like a gauge', () => {
    expect(value([-3, -1].map((minute) => point(minute, { ...sum, monotonic: false, value: 8 })))).toBe(8)
  })

  it('that only grows is its growth per second, of all series together', () => {
    const points = [-4, -3, -2].flatMap((minute) => [
      point(minute, { ...sum, value: (minute + 4) * 120, attributes: { route: '/' } }),
      point(minute, { ...sum, value: (minute + 4) * 60, attributes: { route: '/cart' } }),
    ])
    expect(value(points)).toBe(3)
  })

  it('goes on from zero after a restart', () => {
    const startNs = BigInt(timeMs(-3, 30)) * 1_000_000n
    const points = [
      point(-4, { ...sum, value: 6000 }),
      point(-3, { ...sum, value: 6060 }),
      point(-2, { ...sum, value: 60, startNs }),
    ]
    expect(value(points)).toBe(1)
  })

  it('of deltas is divided by the time that they cover', () => {
    const deltas = [-3, -2].map((minute) =>
      point(minute, { ...sum, temporality: 'delta', value: 30, startNs: BigInt(timeMs(minute - 1)) * 1_000_000n }),
    )
    expect(value(deltas)).toBe(0.5)
  })

  it('is nothing with a single point', () => {
    expect(value([point(-1, { ...sum, value: 5 })])).toBeUndefined()
  })
})

describe('a distribution', () => {
  it('is the average of what was recorded in the window, over all series', () => {
    const cumulative = { type: 'histogram', temporality: 'cumulative' } as const
    const points = [
      point(-6, { ...cumulative, value: histogram(100, 100) }),
      point(-5, { ...cumulative, value: histogram(110, 300) }),
      point(-1, { ...cumulative, value: histogram(120, 600) }),
    ]
    expect(value(points)).toBe(25)
    const delta = { type: 'histogram', temporality: 'delta' } as const
    const deltas = [
      point(-2, { ...delta, value: histogram(1, 90), attributes: { a: 1 } }),
      point(-2, { ...delta, value: histogram(9, 10), attributes: { a: 2 } }),
    ]
    expect(value(deltas)).toBe(10)
  })
})
