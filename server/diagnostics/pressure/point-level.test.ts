import { describe, expect, it } from 'vitest'
import type { MetricPoint } from '../../domain/metric-point.ts'
import { metricPointOf, type PointLiteral } from '../../storage/conformance/metric-builder.ts'
import { atNs } from '../../storage/conformance/test-time.ts'
import { levelOf, rateOf } from './point-level.ts'

const point = (literal: PointLiteral): MetricPoint => metricPointOf({ unit: '', ...literal })
const counter = (value: number, atMs: number, more: PointLiteral = {}): MetricPoint =>
  point({ type: 'sum', temporality: 'cumulative', monotonic: true, startNs: atNs(0), value, atMs, ...more })
const histogram = { count: 1, sum: 1, min: 1, max: 1, explicitBounds: [], bucketCounts: [1] }

describe('the level that a point tells', () => {
  it.each([
    [0.9, 0.9, ''],
    [90, 0.9, '%'],
    [250, 0.25, 'ms'],
    [3, 3, 's'],
    [2, 2 * 1024 ** 2, 'MiBy'],
    [7, 7, '{connection}'],
    [12n, 12, 'By'],
    [0, 0, 'By'],
  ])('%s is %s in %s', (value, level, unit) => {
    expect(levelOf(point({ value, unit }))).toBeCloseTo(level)
  })

  it.each([
    ['NaN', { value: Number.NaN }],
    ['an infinity', { value: Number.POSITIVE_INFINITY }],
    ['a negative, which stands for no limit', { value: -1 }],
    ['no recorded value', { value: null }],
    ['a distribution', { type: 'histogram' as const, value: histogram }],
    ['a change of what nobody told the height of', { type: 'sum' as const, temporality: 'delta' as const, value: 3 }],
  ])('is not told by %s', (_, literal) => {
    expect(levelOf(point(literal))).toBeUndefined()
  })
})

describe('the rate of a counter', () => {
  it('is what it gained since its last point', () => {
    expect(rateOf(counter(130, 60_000), counter(100, 0))).toBeCloseTo(0.5)
  })

  it('is not known from one point', () => {
    expect(rateOf(counter(130, 60_000), undefined)).toBeUndefined()
  })

  it('is taken from its new start where it began anew', () => {
    const anew = counter(15, 60_000, { startNs: atNs(30_000) })
    expect(rateOf(anew, counter(100, 0))).toBeCloseTo(0.5)
  })

  it('is not known where it fell and nobody told since when it counts', () => {
    expect(rateOf(counter(3, 60_000, { startNs: 0n }), counter(100, 0, { startNs: 0n }))).toBeUndefined()
  })

  it('is the delta over its own time where it is sent in deltas', () => {
    const delta = counter(30, 60_000, { temporality: 'delta', startNs: atNs(0) })
    expect(rateOf(delta, undefined)).toBeCloseTo(0.5)
  })

  it('is not known of a delta without a time, nor between two points of one moment', () => {
    expect(rateOf(counter(3, 60_000, { temporality: 'delta', startNs: atNs(60_000) }), undefined)).toBeUndefined()
    expect(rateOf(counter(3, 60_000), counter(1, 60_000))).toBeUndefined()
  })

  it('is not known where a point has no number', () => {
    expect(rateOf(counter(Number.NaN, 60_000), counter(1, 0))).toBeUndefined()
    expect(rateOf(counter(3, 60_000), counter(Number.NaN, 0))).toBeUndefined()
  })

  it('is in seconds, whatever the unit', () => {
    expect(rateOf(counter(60e9, 60_000, { unit: 'ns' }), counter(0, 0, { unit: 'ns' }))).toBeCloseTo(1)
  })
})
