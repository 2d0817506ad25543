import { expect, it } from 'vitest'
import { valueText } from './value-text.ts'

it.each([
  [0, 'ms', '0'],
  [0.1 + 0.2, '', '0.3'],
  [1500, 'req/s', '1.5k'],
  [-2_000_000, '', '-2M'],
  [500, 'ms', '500'],
  [2500, 'ms', '2.5 s'],
  [20_000, 'ms', '20 s'],
  [1500, 'By', '1.5 kB'],
  [12, 'By', '12 B'],
])('writes %d %s as %s', (value, unit, text) => {
  expect(valueText(value, unit)).toBe(text)
})
