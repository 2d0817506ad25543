import { expect, it } from 'vitest'
import { holmAdjusted } from './holm.ts'

it('has the values of the published example, in the order given', () => {
  expect(holmAdjusted([0.01, 0.04, 0.03, 0.005]).map((p) => Number(p.toFixed(12)))).toEqual([0.03, 0.06, 0.06, 0.02])
})

it('leaves a single one as it is, and never exceeds 1', () => {
  expect(holmAdjusted([0.04])).toEqual([0.04])
  expect(holmAdjusted([0.9, 0.8])).toEqual([1, 1])
  expect(holmAdjusted([])).toEqual([])
})
