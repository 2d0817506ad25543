import { expect, it } from 'vitest'
import { normalTwoSidedP } from './normal-tail.ts'

it.each([
  [0, 1],
  [1, 0.317310507862914],
  [1.959963984540054, 0.05],
  [2.575829303548901, 0.01],
  [2.8284, 0.004678131390933],
  [2.8285, 0.00467667010893],
  [6, 1.973175290075396e-9],
  [10, 1.523970604832105e-23],
])('has the tabled value for a distance of %d', (z, p) => {
  expect(normalTwoSidedP(z) / p).toBeCloseTo(1, 6)
  expect(normalTwoSidedP(-z)).toBe(normalTwoSidedP(z))
})
