import { describe, expect, it } from 'vitest'
import { fisherExactP } from './fisher-exact.ts'

const p = (before: [number, number], after: [number, number]) =>
  fisherExactP({ part: before[0], whole: before[1] }, { part: after[0], whole: after[1] })

/** Counts every way to spread the parts over all the places, one by one. */
function byEnumeration(before: [number, number], after: [number, number]): number {
  const [wholes, parts] = [before[1] + after[1], before[0] + after[0]]
  const ways = new Map<number, number>()
  let all = 0
  for (let set = 0; set < 2 ** wholes; set++) {
    const places = [...Array(wholes).keys()].filter((place) => Math.floor(set / 2 ** place) % 2 === 1)
    if (places.length !== parts) continue
    all++
    const inAfter = places.filter((place) => place < after[1]).length
    ways.set(inAfter, (ways.get(inAfter) ?? 0) + 1)
  }
  const observed = ways.get(after[0]) ?? 0
  return [...ways.values()].filter((count) => count <= observed).reduce((sum, count) => sum + count, 0) / all
}

describe('fisherExactP', () => {
  it('equals counting every way one by one, for every small table', () => {
    for (const [wholeBefore, wholeAfter] of [
      [5, 7],
      [6, 6],
      [1, 9],
    ] as const) {
      for (let a = 0; a <= wholeBefore; a++)
        for (let b = 0; b <= wholeAfter; b += 2)
          expect(p([a, wholeBefore], [b, wholeAfter])).toBeCloseTo(byEnumeration([a, wholeBefore], [b, wholeAfter]), 12)
    }
  })

  it('equals the published values of the lady who tasted tea and of the convicted twins', () => {
    expect(p([3, 4], [1, 4])).toBeCloseTo(34 / 70, 12)
    expect(p([10, 12], [3, 18])).toBeCloseTo(0.0005367, 7)
  })

  it('is 1 where the shares are equal, and where there is nothing to compare', () => {
    expect(p([5, 100], [5, 100])).toBe(1)
    expect(p([0, 100], [0, 7])).toBe(1)
    expect(p([100, 100], [7, 7])).toBe(1)
    expect(p([0, 0], [3, 7])).toBe(1)
    expect(p([0, 0], [0, 0])).toBe(1)
  })

  it('is the same whichever side comes first, and for successes as for failures', () => {
    expect(p([3, 50], [11, 40])).toBeCloseTo(p([11, 40], [3, 50]), 12)
    expect(p([3, 50], [11, 40])).toBeCloseTo(p([47, 50], [29, 40]), 12)
  })

  it('approaches the normal test at large counts', () => {
    // z = 2.5758, whose two-sided p is 0.01: half of 10 million each side, apart by z * sqrt(2 * 0.25 / n).
    const n = 10_000_000
    const apart = Math.round(2.575829 * Math.sqrt(0.5 / n) * n)
    expect(p([n / 2, n], [n / 2 + apart, n])).toBeCloseTo(0.01, 4)
  })

  it('is 0, not NaN, where chance is out of the question', () => {
    expect(p([0, 1_000_000], [1_000_000, 1_000_000])).toBe(0)
  })
})
