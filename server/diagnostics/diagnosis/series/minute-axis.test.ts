import { describe, expect, it } from 'vitest'
import { atNs, windowMs } from '../../../storage/conformance/test-time.ts'
import { createMinuteAxis, indexOn, windowOf } from './minute-axis.ts'

const baseline = windowMs(0, 60 * 60_000 + 30_000)
const current = windowMs(60 * 60_000 + 30_000, 75 * 60_000 + 15_000)

describe('the axis of minutes', () => {
  it('covers both windows, the last minute only in part', () => {
    const axis = createMinuteAxis(baseline, current, undefined)
    expect(axis).toMatchObject({ startNs: atNs(0), length: 76, currentFrom: 60 })
    expect(axis.covered[0]).toBe(1)
    expect(axis.covered[75]).toBe(0.25)
  })

  it('begins with the first span of a young Grid', () => {
    const axis = createMinuteAxis(baseline, current, atNs(65 * 60_000 + 45_000))
    expect(axis).toMatchObject({ startNs: atNs(65 * 60_000), length: 11, currentFrom: 0 })
    expect(axis.covered[0]).toBe(0.25)
  })

  it('knows where a minute stands, and what an episode stands for', () => {
    const axis = createMinuteAxis(baseline, current, undefined)
    expect(indexOn(axis, atNs(60_000))).toBe(1)
    expect(indexOn(axis, atNs(-60_000))).toBeUndefined()
    expect(indexOn(axis, atNs(76 * 60_000))).toBeUndefined()
    expect(windowOf(axis, { from: 70, to: 76 })).toEqual(windowMs(70 * 60_000, 75 * 60_000 + 15_000))
  })
})
