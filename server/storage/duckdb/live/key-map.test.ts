import { describe, expect, it } from 'vitest'
import { SeededRandom } from '../../conformance/seeded-random.ts'
import { KeyMap } from './key-map.ts'

describe('a map of fingerprints', () => {
  it('holds what a plain map does, while keys come and go and crowd each other', () => {
    const random = new SeededRandom(11)
    const map = new KeyMap()
    const plain = new Map<string, [number, number]>()
    // First halves are odd, as the last bit is not told apart.
    const keys = Array.from({ length: 9_000 }, () => [random.below(2 ** 31) * 2 + 1, random.below(2 ** 32)])
    for (let step = 0; step < 60_000; step++) {
      const [high, low] = random.pick(keys) as [number, number]
      const key = `${high} ${low}`
      // Mostly growing at first, mostly shrinking later.
      if (random.below(60_000) > step) {
        map.put(high, low, step, step + 1)
        plain.set(key, [step, step + 1])
      } else {
        map.remove(high, low)
        plain.delete(key)
      }
    }
    expect(map.size).toBe(plain.size)
    for (const [high, low] of keys as [number, number][]) {
      const slot = map.find(high, low)
      expect(slot < 0 ? undefined : [map.first(slot), map.second(slot)]).toEqual(plain.get(`${high} ${low}`))
    }
  })
})
