import { expect, it } from 'vitest'
import { percentChange } from './percent-change.ts'

it.each([
  [200, 250, 25],
  [200, 150, -25],
  [200, 0, -100],
  [0, 0, 0],
  [0, 0.001, 100],
  [0.1, 0.12, 20],
])('from %d to %d is %d percent', (before, after, percent) => expect(percentChange(before, after)).toBe(percent))
