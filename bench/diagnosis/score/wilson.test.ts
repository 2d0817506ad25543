import { describe, expect, it } from 'vitest'
import { wilsonInterval } from './wilson.ts'

describe('the interval of a share', () => {
  it.each([
    // From the tables of Newcombe (1998), who compares methods for single proportions.
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('of %i in %i is as published', (successes, n, low, high) => {
    const interval = wilsonInterval(successes, n)
    expect(interval.low).toBeCloseTo(low, 4)
    expect(interval.high).toBeCloseTo(high, 4)
  })

  it('is the same from the other side', () => {
    const { low, high } = wilsonInterval(3, 10)
    expect(wilsonInterval(7, 10)).toEqual({ low: expect.closeTo(1 - high, 12), high: expect.closeTo(1 - low, 12) })
  })

  it('says nothing where there is nothing', () => {
    expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 })
  })
})
