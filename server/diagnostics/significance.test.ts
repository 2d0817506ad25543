import { describe, expect, it } from 'vitest'
import { bucketOf, type Latencies, mergedLatencies } from '../domain/latencies.ts'
import { SeededRandom } from '../storage/conformance/seeded-random.ts'
import {
  apdexChange,
  type Comparison,
  latencyChange,
  rateChange,
  significantOf,
  throughputChange,
} from './significance.ts'

const exactly = (...durationsMs: number[]): Latencies => ({
  exactNs: durationsMs.map((ms) => ms * 1e6).sort((a, b) => a - b),
  buckets: [],
  counts: [],
})
const inBuckets = ({ exactNs = [] }: Latencies): Latencies => ({
  exactNs: undefined,
  buckets: [...new Set(exactNs.map(bucketOf))],
  counts: [...new Set(exactNs.map(bucketOf))].map((bucket) => exactNs.filter((ns) => bucketOf(ns) === bucket).length),
})
/** As many latencies around a value, the same ones each time. */
const around = (ms: number, count: number): Latencies => {
  const random = new SeededRandom(count)
  return exactly(...Array.from({ length: count }, () => Math.round(ms * (0.5 + random.fraction()) * 1000) / 1000))
}
const significant = (...comparisons: Comparison[]) => significantOf(comparisons).length

describe('a change of an error rate', () => {
  it('tells both rates in percent and how likely chance is', () => {
    expect(rateChange({ errors: 10, requests: 12 }, { errors: 3, requests: 18 })).toEqual({
      before: expect.closeTo(83.333, 3),
      after: expect.closeTo(16.667, 3),
      requestsBefore: 12,
      requestsAfter: 18,
      pValue: expect.closeTo(0.000537, 6),
      matters: true,
    })
  })

  it('matters from 1 point on, however small the rate was', () => {
    const from = (errors: number) =>
      rateChange({ errors: 2800, requests: 10_000 }, { errors, requests: 10_000 }).matters
    expect([from(2899), from(2900), from(2701), from(2700)]).toEqual([false, true, false, true])
  })

  it('is significant at low volume where it is clear, and not where it may be chance', () => {
    expect(significant(rateChange({ errors: 0, requests: 30 }, { errors: 8, requests: 30 }))).toBe(1)
    expect(significant(rateChange({ errors: 0, requests: 30 }, { errors: 6, requests: 30 }))).toBe(0)
  })

  it('is not significant with fewer than 30 requests on a side', () => {
    expect(significant(rateChange({ errors: 0, requests: 1000 }, { errors: 29, requests: 29 }))).toBe(0)
    expect(significant(rateChange({ errors: 0, requests: 29 }, { errors: 1000, requests: 1000 }))).toBe(0)
    expect(significant(rateChange({ errors: 0, requests: 30 }, { errors: 30, requests: 30 }))).toBe(1)
  })

  it('is not significant below 1 point, however certain', () => {
    const change = rateChange({ errors: 0, requests: 1e6 }, { errors: 9000, requests: 1e6 })
    expect(change.pValue).toBe(0)
    expect(significant(change)).toBe(0)
  })

  it('is nothing between empty sides', () => {
    expect(rateChange({ errors: 0, requests: 0 }, { errors: 0, requests: 0 })).toMatchObject({
      before: 0,
      after: 0,
      pValue: 1,
      matters: false,
    })
  })
})

describe('a change of latencies', () => {
  it('is told by the medians unless other figures are given', () => {
    expect(latencyChange(exactly(1, 2, 3), exactly(2, 4, 9))).toMatchObject({ before: 2, after: 4 })
    const figures = { before: 10, after: 20 }
    expect(latencyChange(exactly(1, 2, 3), exactly(2, 4, 9), figures)).toMatchObject(figures)
  })

  it('matters from 20 percent on', () => {
    const to = (after: number) => latencyChange(exactly(1), exactly(2), { before: 0.1, after }).matters
    expect([to(0.12), to(0.1199), to(0.08), to(0.0801), to(0.1)]).toEqual([true, false, true, false, false])
    expect(latencyChange(exactly(0), exactly(1)).matters).toBe(true)
  })

  it('is found in durations, in buckets, and between the two', () => {
    const [slow, fast] = [around(140, 200), around(100, 100)]
    const pValues = [
      latencyChange(fast, slow),
      latencyChange(inBuckets(fast), inBuckets(slow)),
      latencyChange(fast, inBuckets(slow)),
      latencyChange(inBuckets(fast), slow),
    ].map(({ pValue }) => pValue)
    for (const pValue of pValues) expect(Math.log10(pValue)).toBeCloseTo(Math.log10(pValues[0] as number), 0)
    expect(pValues[0]).toBeLessThan(1e-6)
  })

  it('is not found where there is none', () => {
    const once = around(100, 300)
    expect(latencyChange(once, around(100, 301)).pValue).toBeGreaterThan(0.01)
    expect(latencyChange(once, once).pValue).toBe(1)
    expect(latencyChange(exactly(), exactly())).toMatchObject({ pValue: 1, matters: false })
  })

  it('is no evidence for an average that rose while most requests got faster', () => {
    const after = mergedLatencies([around(50, 95), exactly(9000, 9000, 9000, 9000, 9000)])
    const averages = { before: 100, after: 497 }
    expect(latencyChange(around(100, 100), after, averages)).toMatchObject({ pValue: 1, matters: true })
    expect(latencyChange(around(100, 100), after).pValue).toBeLessThan(0.001)
  })
})

describe('a change of apdex', () => {
  const all = (requests: number) => ({ requests, satisfied: requests, tolerating: 0 })

  it('is significant where satisfied requests became others', () => {
    const after = { requests: 50, satisfied: 25, tolerating: 15 }
    expect(apdexChange(all(50), after)).toMatchObject({ before: 1, after: 0.65, matters: true })
    expect(significant(apdexChange(all(50), after))).toBe(1)
  })

  it('does not matter below 20 percent', () => {
    const to = (satisfied: number) => apdexChange(all(1000), { requests: 1000, satisfied, tolerating: 0 }).matters
    expect([to(801), to(800)]).toEqual([false, true])
  })

  it('is 1 where nobody asked', () => {
    expect(apdexChange(all(0), all(0))).toMatchObject({ before: 1, after: 1, pValue: 1 })
  })
})

describe('a change of throughput', () => {
  it('is per second, whatever the lengths of the windows', () => {
    expect(throughputChange({ requests: 600, seconds: 60 }, { requests: 100, seconds: 20 })).toMatchObject({
      before: 10,
      after: 5,
      matters: true,
    })
    expect(significant(throughputChange({ requests: 600, seconds: 60 }, { requests: 100, seconds: 20 }))).toBe(1)
    expect(significant(throughputChange({ requests: 60, seconds: 60 }, { requests: 30, seconds: 40 }))).toBe(0)
  })
})

describe('significantOf', () => {
  const change = (pValue: number, facts: Partial<Comparison> = {}): Comparison => ({
    before: 1,
    after: 2,
    requestsBefore: 30,
    requestsAfter: 30,
    pValue,
    matters: true,
    ...facts,
  })

  it('demands less than 1 percent', () => {
    expect(significant(change(0.00999))).toBe(1)
    expect(significant(change(0.01))).toBe(0)
  })

  it('demands more of each, the more were compared', () => {
    expect(significant(change(0.004), change(0.9))).toBe(1)
    expect(significant(change(0.004), change(0.9), change(0.8))).toBe(0)
  })

  it('counts what was compared and did not matter, but not what has too few requests', () => {
    const unimportant = { matters: false }
    const few = { requestsAfter: 29 }
    expect(significant(change(0.004), change(0.9, unimportant), change(0.8, unimportant))).toBe(0)
    expect(significant(change(0.004), change(0.9, few), change(0.8, few))).toBe(1)
    expect(significant(change(0, unimportant), change(0, few))).toBe(0)
  })

  it('keeps the order and what else belongs to each', () => {
    const named = (name: string, pValue: number) => ({ ...change(pValue), name })
    expect(significantOf([named('b', 1e-5), named('c', 0.5), named('a', 1e-9)]).map(({ name }) => name)).toEqual([
      'b',
      'a',
    ])
  })

  it('finds nothing, nearly always, among many things that did not change', () => {
    const random = new SeededRandom(3)
    const errorsOf = (requests: number) =>
      Array.from({ length: requests }, () => random.chance(0.1)).filter(Boolean).length
    let found = 0
    for (let round = 0; round < 100; round++) {
      const compared = Array.from({ length: 20 }, () =>
        rateChange({ errors: errorsOf(100), requests: 100 }, { errors: errorsOf(60), requests: 60 }),
      )
      found += significantOf(compared).length
    }
    expect(found).toBeLessThanOrEqual(1)
  })
})
