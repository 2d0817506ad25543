import { expect, it } from 'vitest'
import { knotsOf } from './isotonic.ts'

const scored = (confidence: number, right: number, wrong: number) =>
  Array.from({ length: right + wrong }, (_, i) => ({ confidence, isRight: i < right }))

it('follows how often scores are right, drawn a little to the middle', () => {
  expect(knotsOf([...scored(0.4, 10, 30), ...scored(0.8, 38, 2)])).toEqual([
    [0.4, 0.262],
    [0.8, 0.929],
  ])
})

it('never falls: what contradicts is put together', () => {
  const knots = knotsOf([...scored(0.3, 2, 18), ...scored(0.6, 18, 2), ...scored(0.7, 14, 6)])
  expect(knots).toEqual([
    [0.3, 0.136],
    [0.65, 0.786],
  ])
})

it('does not believe a few', () => {
  expect(knotsOf([...scored(0.5, 0, 2), ...scored(0.8, 38, 2)])).toHaveLength(1)
})
