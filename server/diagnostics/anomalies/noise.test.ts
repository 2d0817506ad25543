import { describe, expect, it } from 'vitest'
import { SeededRandom } from '../../storage/conformance/seeded-random.ts'
import { foundAnomalies, type Traffic } from '../changes/testing/traffic.ts'

const HOURS = 48

/** A service in sound health: its requests come by chance, follow the day, fail now and then, and take as long as they take. */
function healthy(seed: number, perMinute: number, errorChance: number, spread: number): Traffic[] {
  const random = new SeededRandom(seed)
  const gauss = () => Math.sqrt(-2 * Math.log(1 - random.fraction())) * Math.cos(2 * Math.PI * random.fraction())
  return Array.from({ length: HOURS * 60 }, (_, minute) => {
    const daily = 1 + 0.8 * Math.sin((2 * Math.PI * minute) / 1440)
    const expected = perMinute * daily * Math.exp(0.1 * gauss())
    const requests = Math.max(0, Math.round(expected + Math.sqrt(expected) * gauss()))
    const errors = Array.from({ length: requests }).filter(() => random.chance(errorChance)).length
    const durations = Array.from({ length: requests }, () => 40 * Math.exp(spread * gauss()))
    return {
      from: minute,
      to: minute + 1,
      perMinute: requests,
      errorPercent: requests === 0 ? 0 : (errors / requests) * 100,
      latencyMs: durations.reduce((sum, each) => sum + each, 0) / Math.max(1, requests),
    }
  })
}

describe('two days of a healthy service', () => {
  it.each([
    { seed: 1, perMinute: 200, errorChance: 0.005, spread: 0.5 },
    { seed: 2, perMinute: 60, errorChance: 0.02, spread: 1 },
    { seed: 3, perMinute: 10, errorChance: 0.01, spread: 1 },
    { seed: 4, perMinute: 10, errorChance: 0.1, spread: 1.5 },
    { seed: 5, perMinute: 2, errorChance: 0.02, spread: 1 },
    { seed: 6, perMinute: 0.5, errorChance: 0.05, spread: 1 },
    { seed: 7, perMinute: 20, errorChance: 0, spread: 0.2 },
  ])('have no anomaly, at $perMinute requests a minute', ({ seed, perMinute, errorChance, spread }) => {
    expect(foundAnomalies(...healthy(seed, perMinute, errorChance, spread))).toEqual([])
  })
})
