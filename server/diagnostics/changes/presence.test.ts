import { describe, expect, it } from 'vitest'
import { SeededRandom } from '../../storage/conformance/seeded-random.ts'
import { found } from './testing/traffic.ts'

/** Requests of a service, by chance spread over its instances. */
function spread(seed: number, perMinute: number, hours: number) {
  const random = new SeededRandom(seed)
  return Array.from({ length: hours * 60 }).flatMap((_, minute) => {
    const count = Math.floor(perMinute) + (random.chance(perMinute % 1) ? 1 : 0)
    const names = Array.from({ length: count }, () => random.pick(['a', 'b', 'c', 'd']))
    return [...new Set(names)].map((instance) => ({
      instance,
      version: instance === 'd' ? '2' : '1',
      from: minute,
      to: minute + 1,
      perMinute: names.filter((name) => name === instance).length,
    }))
  })
}

describe('four instances, one of them a canary, among which requests are spread by chance', () => {
  it.each([0.1, 0.5, 1, 2, 4, 10])('are nothing new once they are known, at %f requests a minute', (perMinute) => {
    const knownAfterMinutes = 30 / perMinute + 30
    const lines = [1, 2, 3].flatMap((seed) => found(...spread(seed, perMinute, 24)))
    expect(lines.filter((line) => Number(line.split(' ')[0]) > knownAfterMinutes)).toEqual([])
  })
})
