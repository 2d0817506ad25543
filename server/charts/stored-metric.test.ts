import { describe, expect, it } from 'vitest'
import type { MetricTraits } from '../storage/chart-reader.ts'
import { readingOf, shownReading, storedMetricOf, unitOfReading } from './stored-metric.ts'

const traits = (rest: Partial<MetricTraits>): MetricTraits => ({
  ...{ unit: '', type: 'gauge', temporality: 'cumulative', monotonic: false, intervalNs: 1n },
  ...rest,
})
const read = (metric: string, rest: Partial<MetricTraits>) => readingOf(storedMetricOf(metric), traits(rest))

describe('a stored metric', () => {
  it('is named with how it is read', () => {
    expect(storedMetricOf('a.b:p99.9')).toEqual({ name: 'a.b', suffix: 'p99.9' })
    expect(storedMetricOf('rule:a:b')).toEqual({ name: 'rule:a:b', suffix: undefined })
    expect(storedMetricOf(':rate')).toEqual({ name: ':rate', suffix: undefined })
  })

  it('is read as suits its type where nothing is said', () => {
    expect(read('m', { type: 'gauge' })).toEqual({ of: 'numbers', as: 'average' })
    expect(read('m', { type: 'sum', monotonic: true })).toEqual({ of: 'numbers', as: 'rate' })
    expect(read('m', { type: 'sum' })).toEqual({ of: 'numbers', as: 'total' })
    expect(read('m', { type: 'histogram' })).toEqual({ of: 'distributions', as: 'percentile', percent: 95 })
    expect(read('m', { type: 'summary' })).toEqual({ of: 'distributions', as: 'mean' })
  })

  it('is read otherwise where that is possible', () => {
    expect(read('m:max', { type: 'gauge' })).toEqual({ of: 'numbers', as: 'greatest' })
    expect(read('m:rate', { type: 'gauge' })).toBeUndefined()
    expect(read('m:p50', { type: 'gauge' })).toBeUndefined()
    expect(read('m:p99', { type: 'exponential_histogram' })).toMatchObject({ percent: 99 })
    expect(read('m:p0', { type: 'histogram' })).toBeUndefined()
    expect(read('m:p50', { type: 'summary' })).toBeUndefined()
  })

  it('is told in a unit that people read', () => {
    const rate = { of: 'numbers', as: 'rate' } as const
    const average = { of: 'numbers', as: 'average' } as const
    expect(unitOfReading(rate, traits({ unit: '{request}' }))).toBe('request/s')
    expect(unitOfReading(rate, traits({ unit: '1' }))).toBe('1/s')
    expect(unitOfReading(average, traits({ unit: 's' }))).toBe('ms')
    expect(shownReading(0.0123, average, traits({ unit: 's' }))).toBe(12.3)
    expect(shownReading(0.12345, rate, traits({ unit: 's' }))).toBe(0.1235)
  })
})
