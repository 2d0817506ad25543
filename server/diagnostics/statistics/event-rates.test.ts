import { describe, expect, it } from 'vitest'
import { eventRatesP } from './event-rates.ts'

/** Sums the binomial distribution from its definition. */
function byDefinition(all: number, observed: number, share: number): number {
  const probabilities: number[] = []
  for (let k = 0; k <= all; k++) {
    let ways = 1
    for (let i = 0; i < k; i++) ways = (ways * (all - i)) / (i + 1)
    probabilities.push(ways * share ** k * (1 - share) ** (all - k))
  }
  const limit = (probabilities[observed] as number) * (1 + 1e-7)
  return probabilities.filter((each) => each <= limit).reduce((sum, each) => sum + each, 0)
}

describe('eventRatesP', () => {
  it('equals the sum of the distribution from its definition', () => {
    for (const [before, after, timeBefore, timeAfter] of [
      [12, 3, 60, 15],
      [12, 9, 60, 15],
      [0, 4, 60, 15],
      [4, 0, 60, 15],
      [30, 30, 1, 1],
      [20, 45, 3, 4],
    ] as const) {
      const share = timeAfter / (timeBefore + timeAfter)
      expect(eventRatesP({ events: before, time: timeBefore }, { events: after, time: timeAfter })).toBeCloseTo(
        byDefinition(before + after, after, share),
        10,
      )
    }
  })

  it('is 1 for equal rates, also over windows of different lengths, and for none', () => {
    expect(eventRatesP({ events: 400, time: 60 }, { events: 100, time: 15 })).toBe(1)
    expect(eventRatesP({ events: 0, time: 60 }, { events: 0, time: 15 })).toBe(1)
  })

  it('tells rates apart at large counts', () => {
    expect(eventRatesP({ events: 4_000_000, time: 60 }, { events: 990_000, time: 15 })).toBeLessThan(1e-9)
    expect(eventRatesP({ events: 4_000_000, time: 60 }, { events: 1_000_500, time: 15 })).toBeGreaterThan(0.5)
  })
})
