import { describe, expect, it } from 'vitest'
import { SeededRandom } from '../../storage/conformance/seeded-random.ts'
import { rankTest, type Sample } from './rank-test.ts'

const sample = (values: number[]): Sample => ({ values: values.toSorted((a, b) => a - b) })
const testOf = (before: number[], after: number[]) => rankTest(sample(before), sample(after))

/** The share of all ways to deal the same values to the two sides that lie at least as far apart as these. */
function byPermutation(before: number[], after: number[]): number {
  const all = [...before, ...after]
  const winsOf = (later: number[], earlier: number[]) =>
    later.flatMap((a) => earlier.map((b) => (a > b ? 1 : a === b ? 0.5 : 0))).reduce<number>((sum, n) => sum + n, 0)
  const expected = (before.length * after.length) / 2
  const observed = Math.abs(winsOf(after, before) - expected)
  let ways = 0
  let asFar = 0
  for (let set = 0; set < 2 ** all.length; set++) {
    const later = all.filter((_, place) => Math.floor(set / 2 ** place) % 2 === 1)
    if (later.length !== after.length) continue
    ways++
    const earlier = all.filter((_, place) => Math.floor(set / 2 ** place) % 2 === 0)
    if (Math.abs(winsOf(later, earlier) - expected) >= observed - 1e-9) asFar++
  }
  return asFar / ways
}

describe('rankTest', () => {
  it.each([
    [
      [1.1, 2.2, 3.3, 4.4, 5.5, 6.6, 7.7],
      [2.9, 5.1, 6.1, 8.8, 9.9, 10.2, 11],
    ],
    [
      [1, 1, 2, 2, 3, 3, 4],
      [2, 3, 3, 4, 4, 5, 5],
    ],
    [
      [1, 1, 1, 1, 1, 1, 2],
      [1, 1, 1, 2, 2, 2, 2],
    ],
    [
      [9, 8, 7, 6, 5, 4, 3],
      [1, 2, 3, 4, 5, 6],
    ],
  ])('comes close to dealing the values in every possible way: %j, %j', (before, after) => {
    expect(Math.abs(testOf(before, after).pValue - byPermutation(before, after))).toBeLessThan(0.03)
  })

  it('equals the published example of tritiated water through membranes', () => {
    const atTerm = [0.8, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
    const early = [1.15, 0.88, 0.9, 0.74, 1.21]
    const { pValue, superiority } = testOf(early, atTerm)
    expect(superiority).toBe(35 / 50)
    // 0.2544 exactly; (35 - 25 - 0.5) / sqrt(50 * 16 / 12) = 1.1635 by approximation.
    expect(pValue).toBeCloseTo(0.2446, 4)
  })

  it('corrects the variance for ties', () => {
    // 10 of 50 and 25 of 50 have the larger of two values: the wins are 1625, and two values changing sides makes 50 of them.
    const before = { values: [1, 2], counts: [40, 10] }
    const after = { values: [1, 2], counts: [25, 25] }
    const variance = (2500 / 12) * (101 - (65 ** 3 - 65 + 35 ** 3 - 35) / 9900)
    const z = (1625 - 1250 - 25) / Math.sqrt(variance)
    expect(z).toBeCloseTo(2.9205, 4)
    expect(rankTest(before, after)).toEqual({ pValue: expect.closeTo(0.003495, 6), superiority: 0.65 })
  })

  it('says nothing of equal values, or of none', () => {
    const nothing = { pValue: 1, superiority: 0.5 }
    expect(rankTest({ values: [7], counts: [40] }, { values: [7], counts: [50] })).toEqual(nothing)
    expect(testOf([7, 7], [])).toEqual(nothing)
    expect(testOf([], [7])).toEqual(nothing)
    expect(testOf([], [])).toEqual(nothing)
  })

  it('counts the same whether values come one by one or with their numbers', () => {
    const counted = { values: [1, 2, 3, 4], counts: [2, 0, 1, 3] }
    expect(rankTest(sample([1, 2, 3, 5]), counted)).toEqual(testOf([1, 2, 3, 5], [1, 1, 3, 4, 4, 4]))
  })

  it('takes chance for more than chance in about one of a hundred cases', () => {
    const random = new SeededRandom(7)
    const values = () => Array.from({ length: 40 }, () => Math.floor(random.fraction() ** 3 * 50))
    let found = 0
    for (let i = 0; i < 2000; i++) if (testOf(values(), values()).pValue < 0.01) found++
    expect(found).toBeGreaterThan(5)
    expect(found).toBeLessThan(35)
  })
})
