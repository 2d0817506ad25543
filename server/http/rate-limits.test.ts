import { describe, expect, it } from 'vitest'
import { createMemoryBuckets } from './rate-limits.ts'

const caller = { key: 'caller', perMinute: 6 }
const grid = { key: 'grid', perMinute: 10 }

describe('token buckets', () => {
  it('hold a minute’s worth and then refuse, saying how long to wait', async () => {
    const buckets = createMemoryBuckets()
    for (let left = 5; left >= 0; left--) {
      expect(await buckets.take([caller], 0)).toMatchObject({ granted: true, tightest: { limit: 6, remaining: left } })
    }
    expect(await buckets.take([caller], 0)).toEqual({
      granted: false,
      tightest: { limit: 6, remaining: 0, resetSeconds: 60 },
      retryAfterSeconds: 10,
    })
  })

  it('refill continuously', async () => {
    const buckets = createMemoryBuckets()
    for (let n = 0; n < 6; n++) await buckets.take([caller], 0)
    expect((await buckets.take([caller], 9_999)).granted).toBe(false)
    expect((await buckets.take([caller], 10_000)).granted).toBe(true)
    expect((await buckets.take([caller], 10_000)).granted).toBe(false)
    expect(await buckets.look([caller], 40_000)).toEqual({ limit: 6, remaining: 3, resetSeconds: 30 })
  })

  it('never hold more than a minute’s worth', async () => {
    const buckets = createMemoryBuckets()
    await buckets.take([caller], 0)
    expect((await buckets.look([caller], 3_600_000)).remaining).toBe(6)
  })

  it('are asked to wait a whole second at least', async () => {
    const buckets = createMemoryBuckets()
    const fast = { key: 'fast', perMinute: 600 }
    for (let n = 0; n < 600; n++) await buckets.take([fast], 0)
    expect((await buckets.take([fast], 0)).retryAfterSeconds).toBe(1)
  })

  it('give from all or from none', async () => {
    const buckets = createMemoryBuckets()
    for (let n = 0; n < 6; n++) await buckets.take([caller, grid], 0)
    expect((await buckets.take([caller, grid], 0)).granted).toBe(false)
    expect((await buckets.look([grid], 0)).remaining).toBe(4)
  })

  it('tell of the tighter one', async () => {
    const buckets = createMemoryBuckets()
    expect((await buckets.take([caller, grid], 0)).tightest.limit).toBe(6)
    for (let n = 0; n < 8; n++) await buckets.take([grid], 0)
    expect((await buckets.take([caller, grid], 0)).tightest).toMatchObject({ limit: 10, remaining: 0 })
  })

  it('tell of the one that refuses', async () => {
    const buckets = createMemoryBuckets()
    for (let n = 0; n < 10; n++) await buckets.take([grid], 0)
    const small = { key: 'small', perMinute: 1 }
    await buckets.take([small], -59_000)
    expect((await buckets.take([small, grid], 0)).tightest.limit).toBe(10)
  })

  it('hold every odd number of tokens exactly', async () => {
    for (const perMinute of [1, 7, 13, 599, 3001]) {
      const buckets = createMemoryBuckets()
      const odd = { key: 'odd', perMinute }
      for (let n = 0; n < perMinute; n++) expect((await buckets.take([odd], 0)).granted).toBe(true)
      expect((await buckets.take([odd], 0)).granted).toBe(false)
    }
  })

  it('keep their level in proportion when the limit changes', async () => {
    const buckets = createMemoryBuckets()
    for (let n = 0; n < 3; n++) await buckets.take([caller], 0)
    expect((await buckets.look([{ ...caller, perMinute: 600 }], 0)).remaining).toBe(300)
  })

  it('survive a clock that is set back', async () => {
    const buckets = createMemoryBuckets()
    for (let n = 0; n < 6; n++) await buckets.take([caller], 3_600_000)
    expect((await buckets.take([caller], 0)).retryAfterSeconds).toBe(10)
  })

  it('forget the one used longest ago rather than grow', async () => {
    const buckets = createMemoryBuckets(2)
    for (const key of ['a', 'b', 'a', 'c']) await buckets.take([{ key, perMinute: 10 }], 0)
    const left = async (key: string) => (await buckets.look([{ key, perMinute: 10 }], 0)).remaining
    expect([await left('a'), await left('b'), await left('c')]).toEqual([8, 10, 9])
  })
})
