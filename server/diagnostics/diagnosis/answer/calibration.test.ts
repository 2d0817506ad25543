import { expect, it } from 'vitest'
import { calibrated } from './calibration.ts'

const scores = Array.from({ length: 121 }, (_, i) => i / 100)

it('is a probability that never falls while the score rises', () => {
  const found = scores.map((score) => calibrated(score))
  expect(found).toEqual(found.toSorted((a, b) => a - b))
  expect(found[0]).toBe(0)
  expect(found.at(-1)).toBeLessThan(1)
})

it('goes through what was fitted', () => {
  expect(calibrated(0.5)).toBeCloseTo(0.5, 10)
  expect(calibrated(0.88)).toBeCloseTo(0.94, 10)
  expect(calibrated(0.54)).toBeCloseTo(0.59, 10)
})
