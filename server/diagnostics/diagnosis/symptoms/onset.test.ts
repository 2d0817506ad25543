import { describe, expect, it } from 'vitest'
import { atNs, windowMs } from '../../../storage/conformance/test-time.ts'
import { createMinuteAxis } from '../series/minute-axis.ts'
import { type BadnessOf, onsetOf, youngOnset } from './onset.ts'

const axis = createMinuteAxis(windowMs(0, 3_600_000), windowMs(3_600_000, 4_200_000), undefined)
const minuteNs = (minute: number) => atNs(minute * 60_000)

describe('the onset', () => {
  it('comes after a minute that was calm again', () => {
    const bad: BadnessOf = (minute) => [minute === 60 ? 30 : minute >= 63 ? 80 : 0, 100]
    expect(onsetOf(axis, { from: 60, to: 70 }, bad)).toBe(minuteNs(63))
  })

  it('does not wait for a minute in which there was too little to see', () => {
    const bad: BadnessOf = (minute) => [minute === 62 ? 0 : 1, 1]
    expect(onsetOf(axis, { from: 61, to: 70 }, bad)).toBe(minuteNs(61))
  })

  it('stays where a trouble begins that grows', () => {
    const bad: BadnessOf = (minute) => [Math.max(0, 12 * (minute - 59)), 120]
    expect(onsetOf(axis, { from: 60, to: 70 }, bad)).toBeLessThan(minuteNs(61))
  })
})

describe('the onset of what has just begun', () => {
  const window = windowMs(60_000, 120_000)

  it('is told by its bad requests', () => {
    const badNs = Array.from({ length: 20 }, (_, i) => atNs(90_000 + 1500 * i))
    expect(Math.abs(Number(youngOnset(badNs, window) - atNs(90_000)) / 1e9)).toBeLessThan(3)
  })

  it('is the beginning of the minute at the earliest', () => {
    expect(youngOnset([atNs(61_000), atNs(62_000)], window)).toBe(atNs(60_000))
    expect(youngOnset([], window)).toBe(atNs(60_000))
  })
})
