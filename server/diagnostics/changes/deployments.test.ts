import { describe, expect, it } from 'vitest'
import { found } from './testing/traffic.ts'

const instances = (...names: string[]) => names
const each = (names: string[], traffic: { from: number; to: number; version: string; perMinute?: number }) =>
  names.map((instance) => ({ instance, ...traffic }))

describe('a deployment', () => {
  it('is the first span with another version', () => {
    expect(found({ from: 0, to: 30, version: '1.0' }, { from: 30, to: 60, version: '1.1' })).toEqual([
      '+30 deployment cart: deployed version 1.1 (previously 1.0)',
    ])
  })

  it('is none where the version stays, and none where a service is seen for the first time', () => {
    expect(found({ from: 0, to: 180, version: '1.0' })).toEqual([])
    expect(found({ from: 0, to: 180 })).toEqual([])
  })

  it('that rolls over the instances one by one is one change, and no scaling', () => {
    const old = instances('a', 'b', 'c', 'd').map((instance, n) => ({
      instance,
      version: '1',
      from: 0,
      to: 40 + n * 3,
    }))
    const young = instances('e', 'f', 'g', 'h').map((instance, n) => ({
      instance,
      version: '2',
      from: 39 + n * 3,
      to: 110,
    }))
    expect(found(...old, ...young)).toEqual(['+39 deployment cart: deployed version 2 (previously 1)'])
  })

  it('that rolls slowly, with both versions there for 20 minutes, is one change and no scaling', () => {
    const old = instances('a', 'b', 'c').map((instance, n) => ({ instance, version: '1', from: 0, to: 48 + n * 10 }))
    const young = instances('d', 'e', 'f').map((instance, n) => ({
      instance,
      version: '2',
      from: 40 + n * 10,
      to: 140,
    }))
    expect(found(...old, ...young)).toEqual(['+40 deployment cart: deployed version 2 (previously 1)'])
  })

  it('that replaces the instances in place is one change', () => {
    const parts = instances('a', 'b', 'c').flatMap((instance, n) => [
      { instance, version: '1', from: 0, to: 40 + n * 4 },
      { instance, version: '2', from: 42 + n * 4, to: 100 },
    ])
    expect(found(...parts)).toEqual(['+42 deployment cart: deployed version 2 (previously 1)'])
  })

  it('that doubles the instances before it removes the old ones is no scaling', () => {
    const blue = each(['a', 'b', 'c'], { from: 0, to: 55, version: 'blue' })
    const green = each(['d', 'e', 'f'], { from: 40, to: 130, version: 'green' })
    expect(found(...blue, ...green)).toEqual(['+40 deployment cart: deployed version green (previously blue)'])
  })

  it('that ends with more instances than it began with is a scaling too', () => {
    const old = each(['a', 'b', 'c'], { from: 0, to: 42, version: '1' })
    const young = each(['d', 'e', 'f', 'g', 'h'], { from: 40, to: 130, version: '2' })
    expect(found(...old, ...young)).toEqual([
      '+40 deployment cart: deployed version 2 (previously 1)',
      '+40 scaling cart: scaled from 3 to 5 instances',
    ])
  })

  it('of a canary is one change, whether it stays or goes', () => {
    const all = each(['a', 'b', 'c', 'd'], { from: 0, to: 240, version: '1', perMinute: 25 })
    const canary = { instance: 'canary', version: '2', perMinute: 2 }
    const change = ['+40 deployment cart: deployed version 2 (previously 1)']
    expect(found(...all, { ...canary, from: 40, to: 240 })).toEqual(change)
    expect(found(...all, { ...canary, from: 40, to: 55 })).toEqual(change)
  })

  it('of a canary that is seldom asked is not told again each time it answers', () => {
    const all = each(['a', 'b', 'c', 'd'], { from: 0, to: 300, version: '1', perMinute: 2 })
    expect(found(...all, { instance: 'canary', version: '2', perMinute: 0.1, from: 40, to: 300 })).toHaveLength(1)
  })

  it('of a canary that is promoted later is one change', () => {
    const old = each(['a', 'b', 'c'], { from: 0, to: 100, version: '1' })
    const canary = { instance: 'canary', version: '2', from: 40, to: 200 }
    const young = each(['d', 'e'], { from: 101, to: 200, version: '2' })
    expect(found(...old, canary, ...young).filter((line) => line.includes('deployment'))).toHaveLength(1)
  })

  it('back to an earlier version is a change', () => {
    expect(
      found(
        { from: 0, to: 40, version: '1' },
        { from: 40, to: 48, version: '2' },
        { from: 48, to: 90, version: '1' },
        { from: 90, to: 130, version: '2' },
      ),
    ).toEqual([
      '+40 deployment cart: deployed version 2 (previously 1)',
      '+48 deployment cart: rolled back to version 1 (previously 2)',
      '+90 deployment cart: rolled back to version 2 (previously 1)',
    ])
  })

  it('is not undone by a straggler of the old version', () => {
    expect(
      found(
        { from: 0, to: 40, version: '1' },
        { from: 40, to: 120, version: '2' },
        { from: 60, to: 61, version: '1', perMinute: 1 },
      ),
    ).toEqual(['+40 deployment cart: deployed version 2 (previously 1)'])
  })

  it('is found after a night without a request', () => {
    expect(found({ from: 0, to: 40, version: '1' }, { from: 700, to: 800, version: '2' })).toEqual([
      '+700 deployment cart: deployed version 2 (previously 1)',
    ])
  })

  it('is found in a service that is hardly asked', () => {
    expect(
      found({ from: 0, to: 200, version: '1', perMinute: 0.2 }, { from: 200, to: 300, version: '2', perMinute: 0.2 }),
    ).toEqual(['+204 deployment cart: deployed version 2 (previously 1)'])
  })

  it('follows one that is still rolling', () => {
    expect(
      found({ from: 0, to: 41, version: '1' }, { from: 40, to: 43, version: '2' }, { from: 43, to: 100, version: '3' }),
    ).toEqual([
      '+40 deployment cart: deployed version 2 (previously 1)',
      '+43 deployment cart: deployed version 3 (previously 2)',
    ])
  })

  it('of one service says nothing about another', () => {
    expect(
      found(
        { service: 'cart', from: 0, to: 60, version: '1' },
        { service: 'shop', from: 0, to: 30, version: '7' },
        { service: 'shop', from: 30, to: 60, version: '8' },
      ),
    ).toEqual(['+30 deployment shop: deployed version 8 (previously 7)'])
  })

  it('is one from no version to the first, and none from a version to nothing', () => {
    expect(found({ from: 0, to: 30 }, { from: 30, to: 60, version: '1' })).toEqual([
      '+30 deployment cart: deployed version 1 (previously without a version)',
    ])
    expect(found({ from: 0, to: 30, version: '1' }, { from: 30, to: 60 })).toEqual([])
  })

  it('is found whatever the clocks of the instances say, within their difference', () => {
    const skewed = (from: number, to: number, skew: number) => ({ from: from + skew, to: to + skew })
    expect(
      found(
        { instance: 'a', version: '1', ...skewed(10, 45, -2) },
        { instance: 'b', version: '1', ...skewed(10, 46, 3) },
        { instance: 'c', version: '2', ...skewed(44, 120, 3) },
        { instance: 'd', version: '2', ...skewed(45, 120, -2) },
      ),
    ).toEqual(['+43 deployment cart: deployed version 2 (previously 1)'])
  })

  it('with every request is told a few times an hour, not without end', () => {
    const versions = Array.from({ length: 120 }, (_, n) => ({ from: n, to: n + 1, version: `build-${n}` }))
    expect(found(...versions).length).toBeLessThanOrEqual(12)
  })
})
