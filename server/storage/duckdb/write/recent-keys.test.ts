import { describe, expect, it } from 'vitest'
import { SeededRandom } from '../../conformance/seeded-random.ts'
import { fingerprint, fingerprintOf, mixBytes, seedsOf } from './fingerprint.ts'
import { RecentKeys } from './recent-keys.ts'

describe('recent keys', () => {
  it('know a key from the second time on, also one of zeroes', () => {
    const keys = new RecentKeys(1000)
    for (const [high, low] of [
      [0, 0],
      [1, 0],
      [2, 0],
      [0, 1],
      [0xffffffff, 0xffffffff],
    ] as const) {
      if (high === 1) continue
      expect(keys.add(high, low)).toBe(true)
      expect(keys.add(high, low)).toBe(false)
    }
  })

  it('remember at least as many as they should, and forget at last', () => {
    const keys = new RecentKeys(1000)
    for (let i = 0; i < 3000; i++) keys.add(i * 2, i)
    for (let i = 2000; i < 3000; i++) expect(keys.add(i * 2, i)).toBe(false)
    expect(keys.add(0, 0)).toBe(true)
    expect(keys.size).toBeLessThanOrEqual(2001)
  })

  it('behave like a set, whatever is confirmed and forgotten in between', () => {
    const random = new SeededRandom(3)
    const keys = new RecentKeys(1_000_000)
    const confirmed = new Set<number>()
    let provisional: number[] = []
    for (let step = 0; step < 20_000; step++) {
      // Few low halves, so that many keys compete for the same slots.
      const [high, low] = [random.below(20) * 2, random.below(500) & ~7]
      const key = high * 1000 + low
      const isNew = !confirmed.has(key) && !provisional.includes(key)
      if (keys.add(high, low) !== isNew) throw new Error(`${key} was new: ${isNew}`)
      if (isNew) provisional.push(key)
      if (random.chance(0.01)) {
        keys.forgetUnconfirmed()
        provisional = []
      } else if (random.chance(0.05)) {
        const count = random.below(provisional.length + 1)
        keys.confirm(count)
        for (const kept of provisional.splice(0, count)) confirmed.add(kept)
      }
    }
    expect(keys.unconfirmed).toBe(provisional.length)
    expect(keys.size).toBe(confirmed.size + provisional.length)
  })

  it('forget a key also where it has become one of the older generation meanwhile', () => {
    const keys = new RecentKeys(2)
    for (const low of [1, 2, 3]) keys.add(0, low)
    keys.forgetUnconfirmed()
    expect([1, 2, 3].map((low) => keys.add(0, low))).toEqual([true, true, true])
  })
})

describe('fingerprints', () => {
  it('do not collide for ids that differ by little, nor between Grids', () => {
    const keys = new RecentKeys(10_000_000)
    const [trace, span] = [Buffer.alloc(16), Buffer.alloc(8)]
    for (const grid of ['a', 'b']) {
      const seeds = seedsOf(`span ${grid}`)
      for (let i = 0; i < 300_000; i++) {
        trace.writeUInt32BE(i >>> 4, 12)
        span.writeUInt32BE(i & 15, (i & 16) >>> 2)
        fingerprintOf(seeds, trace, 0, 16)
        mixBytes(span, 0, 8)
        if (!keys.add(fingerprint.high, fingerprint.low)) throw new Error(`${grid} ${i} collides`)
        span.fill(0)
      }
    }
    expect(keys.size).toBe(600_000)
  })
})
