import { describe, expect, it } from 'vitest'
import { DurationChanges, KeptDurations } from './kept-durations.ts'

type Change = [minute: number, series: number, durationNs: number, n?: number]

function add(kept: KeptDurations, ...changes: Change[]): void {
  const all = new DurationChanges()
  for (const [minute, series, durationNs, n = 1] of changes) all.add(minute, series, durationNs, n)
  kept.add(all)
}

function durationsOf(kept: KeptDurations, series: number, first = 0, end = 60): number[] | undefined {
  const found: number[] = []
  const isWhole = kept.each(
    first,
    end,
    (each) => each === series,
    (_series, ns) => found.push(ns),
  )
  return isWhole ? found.toSorted((a, b) => a - b) : undefined
}

describe('kept durations', () => {
  it('are those of a series in some minutes, however long they are', () => {
    const kept = new KeptDurations()
    add(kept, [3, 7, 10], [3, 8, 11], [4, 7, 2 ** 40 + 1])
    add(kept, [3, 7, 9], [5, 7, 1])
    expect(durationsOf(kept, 7, 3, 5)).toEqual([9, 10, 2 ** 40 + 1])
    expect(durationsOf(kept, 8)).toEqual([11])
    expect(durationsOf(kept, 9)).toEqual([])
  })

  it('lose one of those that are taken away', () => {
    const kept = new KeptDurations()
    add(kept, [3, 7, 10], [3, 7, 10], [3, 7, 11])
    add(kept, [3, 7, 10, -1], [3, 8, 10])
    expect(durationsOf(kept, 7)).toEqual([10, 11])
    expect(durationsOf(kept, 8)).toEqual([10])
  })

  it('are not known where there were many in a minute, or one is taken away that was not there', () => {
    const kept = new KeptDurations()
    add(kept, ...Array.from({ length: 1000 }, (_, i): Change => [3, 7, i]), [4, 8, 1])
    add(kept, [3, 7, 0, -1], [4, 8, 2, -1], [5, 9, 1])
    expect(durationsOf(kept, 7)).toBeUndefined()
    expect(durationsOf(kept, 7, 4)).toEqual([])
    expect(durationsOf(kept, 8)).toBeUndefined()
    expect(durationsOf(kept, 9)).toEqual([1])
  })

  it('are given up where there are the most of them, when there is no room', () => {
    const kept = new KeptDurations([], { size: 10 }, 3000)
    const some = (series: number, length: number) => Array.from({ length }, (_, i): Change => [3, series, i])
    add(kept, ...some(1, 600), ...some(2, 130))
    expect(durationsOf(kept, 1)?.length).toBe(600)
    add(kept, ...some(3, 100))
    expect([1, 2, 3].map((series) => durationsOf(kept, series)?.length)).toEqual([undefined, 130, 100])
    add(kept, ...some(4, 500))
    expect([2, 3, 4].map((series) => durationsOf(kept, series)?.length)).toEqual([130, 100, undefined])
  })

  it('are not known of minutes that are to be read, until they are', () => {
    const kept = new KeptDurations([3, 4], { size: 10 })
    add(kept, [3, 7, 10], [5, 7, 11])
    expect(durationsOf(kept, 7)).toBeUndefined()
    expect(durationsOf(kept, 7, 5)).toEqual([11])
    expect(kept.unreadMinutes(0, 4)).toEqual([3])
    const all = new DurationChanges()
    all.add(3, 7, 10, 1)
    all.addMany(3, 8)
    kept.read([3], all)
    add(kept, [3, 7, 12], [3, 8, 1])
    expect(durationsOf(kept, 7, 0, 4)).toEqual([10, 12])
    expect(durationsOf(kept, 8, 0, 4)).toBeUndefined()
    expect(kept.unreadMinutes(0, 60)).toEqual([4])
  })
  it('are known of the series that were read in the minutes that were not, whoever else reads them', () => {
    const kept = new KeptDurations([3, 4], { size: 10 })
    const all = new DurationChanges()
    all.add(3, 7, 10, 1)
    all.add(4, 7, 11, 1)
    all.add(4, 8, 12, 1)
    expect(durationsOf(kept, 7)).toBeUndefined()
    expect(kept.takeMissing()).toEqual([7])
    kept.readOf([7], all)
    kept.readOf([7, 8], all)
    expect(durationsOf(kept, 7)).toEqual([10, 11])
    add(kept, [3, 7, 13], [3, 9, 14])
    expect([7, 8, 9].map((series) => durationsOf(kept, series))).toEqual([[10, 11, 13], [12], undefined])
    const ofMinute = new DurationChanges()
    ofMinute.add(3, 7, 10, 1)
    kept.read([3], ofMinute)
    kept.readOf([9], all)
    expect(durationsOf(kept, 7)).toEqual([10, 11])
    expect(kept.unreadMinutes()).toEqual([4])
  })
})
