import { describe, expect, it } from 'vitest'
import { SeededRandom } from '../../../storage/conformance/seeded-random.ts'
import { chanceOfRise, strongestRise } from './strongest-rise.ts'

const MINUTES = 60

/** So many requests a minute, of which a share fails by chance. */
function minutes(seed: number, perMinute: number, shareAt: (minute: number) => number) {
  const random = new SeededRandom(seed)
  const wholes = Array.from({ length: MINUTES }, () => perMinute)
  const parts = wholes.map((whole, minute) => {
    return Array.from({ length: whole }, () => random.chance(shareAt(minute))).filter(Boolean).length
  })
  return { parts, wholes }
}

describe('the strongest rise of a share', () => {
  it('is found to the minute', () => {
    const rise = strongestRise(minutes(1, 60, (minute) => (minute >= 50 ? 0.3 : 0.01)))
    expect(rise).toMatchObject({ from: 50, to: 60 })
    expect(rise?.pValue).toBeLessThan(1e-20)
  })

  it('is found when it is over', () => {
    expect(strongestRise(minutes(2, 60, (minute) => (minute >= 20 && minute < 26 ? 0.3 : 0.01)))).toMatchObject({
      from: 20,
      to: 26,
    })
  })

  it('is found with three requests a minute', () => {
    const rise = strongestRise(minutes(3, 3, (minute) => (minute >= 54 ? 0.7 : 0)))
    expect(rise?.from).toBe(54)
    expect(rise?.pValue).toBeLessThan(0.001)
  })

  it('is none where a usual share fell', () => {
    expect(strongestRise(minutes(4, 60, (minute) => (minute < 50 ? 0.1 : 0)))?.pValue ?? 1).toBeGreaterThan(0.01)
  })

  it('is seldom taken for more than chance where it is chance', () => {
    const found = Array.from({ length: 200 }, (_, seed) => strongestRise(minutes(100 + seed, 20, () => 0.02)))
    expect(found.filter((rise) => (rise?.pValue ?? 1) < 0.01).length).toBeLessThanOrEqual(2)
  })

  it('is not judged from a handful of failures', () => {
    const wholes = Array.from({ length: MINUTES }, () => 50)
    const parts = wholes.map((_, minute) => (minute >= 58 ? 2 : 0))
    expect(strongestRise({ parts, wholes })).toBeUndefined()
  })
})

describe('the chance of a rise', () => {
  const episode = { from: 53, to: 54 }
  const calm = Array.from({ length: MINUTES }, (_, minute) => minute).filter((minute) => minute !== 53)

  it('is small where the share is else steady', () => {
    expect(
      chanceOfRise(
        minutes(5, 60, (minute) => (minute === 53 ? 0.3 : 0.01)),
        episode,
        calm,
      ),
    ).toBeLessThan(1e-4)
  })

  it('is large where the share rises so now and then', () => {
    expect(
      chanceOfRise(
        minutes(5, 60, (minute) => (minute % 10 === 3 ? 0.3 : 0.01)),
        episode,
        calm,
      ),
    ).toBeGreaterThan(0.01)
  })
})
