import { expect, it } from 'vitest'
import { calibrated } from './calibration.ts'

const scores = Array.from({ length: 121 }, (_, i) => i / 100)

it('is a probability that never falls while the score rises', () => {
  const found = scores.map((score) => calibrated(score))
  expect(found).toEqual(found.toSorted((a, b) => a - b))
  expect(found[0]).toBe(0)
  expect(found.at(-1)).toBeLessThan(1)
})

it('goes through what was fitted, and straight in between', () => {
  const knots = [
    [0.4, 0.2],
    [0.8, 0.9],
  ] as const
  expect(calibrated(0.4, knots)).toBeCloseTo(0.2, 10)
  expect(calibrated(0.6, knots)).toBeCloseTo(0.55, 10)
  expect(calibrated(0.95, knots)).toBeCloseTo(0.9, 10)
})
