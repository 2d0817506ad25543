import { describe, expect, it } from 'vitest'
import { climbStart, hasPiledUp, isGrowing } from './growth.ts'

describe('a queue', () => {
  it.each([
    ['began to form', [0, 3]],
    ['got longer step by step', [1, 2, 4, 8, 16]],
    ['got longer with a step back', [5, 9, 8, 15, 14]],
  ])('grows that %s', (_, depths) => {
    expect(isGrowing(depths)).toBe(true)
  })

  it.each([
    ['nobody told of', []],
    ['was told of once', [50]],
    ['is as long as ever', [50, 50, 50, 50]],
    ['is hardly longer', [50, 51, 52, 53]],
    ['gets shorter', [50, 30, 10, 2]],
    ['was long and is no more', [0, 0, 40, 80, 5]],
    ['is empty', [0, 0, 0]],
  ])('does not grow that %s', (_, depths) => {
    expect(isGrowing(depths)).toBe(false)
  })
})

describe('a backlog without a known limit', () => {
  it.each([
    ['grows all the time', [10, 200, 900, 2400, 5200]],
    ['grew and stays', [0, 0, 500, 2000, 2000, 2000]],
    ['grew threefold', [1000, 1800, 2500, 3100]],
  ])('has piled up where it %s', (_, depths) => {
    expect(hasPiledUp(depths, 100)).toBe(true)
  })

  it.each([
    ['is small', [1, 5, 20, 60]],
    ['was told of twice', [10, 900]],
    ['leapt up just now', [0, 0, 0, 0, 5000]],
    ['is what it was', [4000, 4100, 3900, 4050]],
    ['is being worked off', [9000, 7000, 4000, 2000]],
    ['comes and goes', [100, 900, 50, 800, 120, 850]],
    ['came and went', [0, 3000, 6000, 2000, 400]],
  ])('has not where it %s', (_, depths) => {
    expect(hasPiledUp(depths, 100)).toBe(false)
  })

  it('is judged as well over very many values', () => {
    expect(
      hasPiledUp(
        Array.from({ length: 5000 }, (_, i) => i),
        100,
      ),
    ).toBe(true)
    expect(
      hasPiledUp(
        Array.from({ length: 5000 }, (_, i) => 500 + (i % 7)),
        100,
      ),
    ).toBe(false)
  })

  it('has climbed since it left its lowest', () => {
    expect(climbStart([5, 7, 3, 4, 400, 900, 2000])).toBe(4)
    expect(climbStart([10, 300, 600])).toBe(1)
  })
})
