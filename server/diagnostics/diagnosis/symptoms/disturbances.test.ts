import { describe, expect, it } from 'vitest'
import { atNs, windowMs } from '../../../storage/conformance/test-time.ts'
import { createMinuteAxis } from '../series/minute-axis.ts'
import { calmMinutes, disturbances } from './disturbances.ts'
import { isCurrent } from './judgement.ts'
import { onsetOf } from './onset.ts'

const axis = createMinuteAxis(windowMs(0, 3_600_000), windowMs(3_600_000, 4_500_000), undefined)

describe('the disturbances of a series', () => {
  it('are found one after the other, and neighbours are one', () => {
    const found = [
      { from: 40, to: 45 },
      { from: 10, to: 12 },
      { from: 46, to: 50 },
    ]
    expect(disturbances(75, () => found.shift())).toEqual([
      { from: 10, to: 12 },
      { from: 40, to: 50 },
    ])
  })

  it('leave calm what is outside of them, but for the minute after', () => {
    expect(calmMinutes(8, [{ from: 2, to: 4 }])).toEqual([0, 1, 5, 6, 7])
  })

  it('count for the window where they go on, or lasted in it', () => {
    const busy = Array.from({ length: axis.length }, () => 1)
    expect(isCurrent({ from: 74, to: 75 }, axis, busy)).toBe(true)
    expect(isCurrent({ from: 55, to: 62 }, axis, busy)).toBe(true)
    expect(isCurrent({ from: 50, to: 61 }, axis, busy)).toBe(false)
    expect(isCurrent({ from: 64, to: 65 }, axis, busy)).toBe(false)
  })

  it('go on where nothing came after them', () => {
    const silent = Array.from({ length: axis.length }, (_, minute) => (minute < 65 ? 1 : 0))
    expect(isCurrent({ from: 64, to: 65 }, axis, silent)).toBe(true)
    expect(isCurrent({ from: 50, to: 60 }, axis, silent)).toBe(false)
  })

  it('began within their first minute, the later the fewer of it were bad', () => {
    const bad = (minute: number): [number, number] => [minute === 60 ? 10 : 40, 100]
    expect(onsetOf(axis, { from: 60, to: 65 }, bad)).toBe(atNs(3_600_000 + 45_000))
    expect(onsetOf(axis, { from: 60, to: 61 }, bad)).toBe(atNs(3_600_000))
    expect(onsetOf(axis, { from: 61, to: 65 }, bad)).toBe(atNs(3_660_000))
  })
})
