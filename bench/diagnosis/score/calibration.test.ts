import { describe, expect, it } from 'vitest'
import { expectedCalibrationError, reliability } from './calibration.ts'

const claims = (confidence: number, right: number, wrong: number) =>
  Array.from({ length: right + wrong }, (_, i) => ({ confidence, isRight: i < right }))

describe('calibration', () => {
  it('has no error where of the claims with 0.8 eight in ten are right', () => {
    expect(expectedCalibrationError([...claims(0.8, 8, 2), ...claims(0.5, 5, 5)])).toBeCloseTo(0, 12)
  })

  it('weighs the error of each bin by how many claims it has', () => {
    // 0.9 said and 0.5 right, thirty times; 0.2 said and all right, ten times.
    const error = expectedCalibrationError([...claims(0.9, 15, 15), ...claims(0.2, 10, 0)])
    expect(error).toBeCloseTo((30 * 0.4 + 10 * 0.8) / 40, 12)
  })

  it('does not let errors of one bin cancel those of another', () => {
    expect(expectedCalibrationError([...claims(0.95, 0, 1), ...claims(0.05, 1, 0)])).toBeCloseTo(0.95, 12)
  })

  it('puts a confidence on the border of two bins into the upper one, and 1 into the last', () => {
    const bins = reliability([0.1, 0.3, 0.6, 0.7, 1].map((confidence) => ({ confidence, isRight: true })))
    expect(bins.map(({ from, n }) => [from, n])).toEqual([
      [0.1, 1],
      [0.3, 1],
      [0.6, 1],
      [0.7, 1],
      [0.9, 1],
    ])
  })
})
