import { expect, it } from 'vitest'
import { rounded, roundedRate } from './rounding.ts'

it('shows at most two decimals, and four of a rate per second', () => {
  expect([rounded(1.239), rounded(1.2), rounded(-1.236)]).toEqual([1.24, 1.2, -1.24])
  expect([roundedRate(0.123_46), roundedRate(3)]).toEqual([0.1235, 3])
})

it('never shows a zero with a sign', () => {
  expect(rounded(-0.001)).toBe(0)
})
