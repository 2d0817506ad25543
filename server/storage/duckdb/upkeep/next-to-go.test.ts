import { describe, expect, it } from 'vitest'
import { nextToGo } from './next-to-go.ts'

const whole = (hour: number, bytes: number) => ({ hour, bytes, isStripped: false })
const sums = (hour: number, bytes: number) => ({ hour, bytes, isStripped: true })
const always = () => true

describe('what makes room', () => {
  it('is nothing while the budget is kept to', () => {
    expect(nextToGo([whole(1, 50), sums(0, 50)], 100, always)).toBeUndefined()
  })

  it('is the oldest hour that has records, which leaves its sums', () => {
    const hours = [whole(2, 60), whole(1, 60), sums(0, 10)]
    expect(nextToGo(hours, 100, always)).toEqual({ hour: whole(1, 60), what: 'records' })
  })

  it('is the oldest sums where they take more than a quarter of the budget', () => {
    const hours = [whole(2, 90), sums(1, 13), sums(0, 13)]
    expect(nextToGo(hours, 100, always)).toEqual({ hour: sums(0, 13), what: 'all' })
  })

  it('is sums where no records are left', () => {
    expect(nextToGo([sums(1, 8), sums(0, 8)], 10, always)).toEqual({ hour: sums(0, 8), what: 'all' })
  })

  it('is never an hour that is not over', () => {
    const isOver = (hour: number) => hour < 2
    expect(nextToGo([whole(2, 500), whole(1, 1)], 100, isOver)?.hour).toEqual(whole(1, 1))
    expect(nextToGo([whole(2, 500)], 100, isOver)).toBeUndefined()
  })

  it('is the larger one where Grids have the same hour', () => {
    expect(nextToGo([whole(1, 60), whole(1, 70)], 100, always)?.hour).toEqual(whole(1, 70))
  })
})
