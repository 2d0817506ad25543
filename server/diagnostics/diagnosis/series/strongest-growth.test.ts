import { describe, expect, it } from 'vitest'
import { SeededRandom } from '../../../storage/conformance/seeded-random.ts'
import { strongestGrowth } from './strongest-growth.ts'

const MINUTES = 60

function minutes(seed: number, perMinute: number, msAt: (minute: number) => number) {
  const random = new SeededRandom(seed)
  const counts = Array.from({ length: MINUTES }, () => perMinute)
  const means = counts.map((count, minute) => {
    const values = Array.from({ length: count }, () => msAt(minute) * Math.exp(random.fraction() - 0.5))
    return values.reduce((sum, value) => sum + value, 0) / count
  })
  return { means, counts }
}

describe('the strongest growth of means', () => {
  it('is found to the minute', () => {
    const growth = strongestGrowth(minutes(1, 40, (minute) => (minute >= 52 ? 60 : 20)))
    expect(growth).toMatchObject({ from: 52, to: 60 })
    expect(growth?.factor).toBeCloseTo(3, 0)
    expect(growth?.pValue).toBeLessThan(1e-10)
  })

  it('is found with four requests a minute', () => {
    const growth = strongestGrowth(minutes(2, 4, (minute) => (minute >= 55 ? 80 : 20)))
    expect(growth?.from).toBe(55)
    expect(growth?.pValue).toBeLessThan(0.001)
  })

  it('is none where failures became fast', () => {
    const growth = strongestGrowth(minutes(3, 40, (minute) => (minute >= 54 ? 1 : 20)))
    expect(growth?.pValue ?? 1).toBeGreaterThan(0.01)
  })

  it('is none after an earlier stretch of fast failures', () => {
    const growth = strongestGrowth(minutes(4, 40, (minute) => (minute >= 20 && minute < 26 ? 1 : 20)))
    expect(growth?.pValue ?? 1).toBeGreaterThan(0.01)
  })

  it('is seldom taken for more than chance where it is chance', () => {
    const found = Array.from({ length: 100 }, (_, seed) => strongestGrowth(minutes(100 + seed, 20, () => 20)))
    expect(found.filter((growth) => (growth?.pValue ?? 1) < 0.01).length).toBeLessThanOrEqual(1)
  })

  it('passes over minutes without requests', () => {
    const { means, counts } = minutes(5, 40, (minute) => (minute >= 52 ? 60 : 20))
    const gaps = (minute: number) => minute % 3 === 1
    const growth = strongestGrowth({
      means: means.map((mean, minute) => (gaps(minute) ? 0 : mean)),
      counts: counts.map((count, minute) => (gaps(minute) ? 0 : count)),
    })
    expect(growth?.from).toBe(53)
  })
})
