import { describe, expect, it } from 'vitest'
import { BUCKETS_MAX } from '../latencies/count-sums.ts'
import { GroupSums, type Sums } from '../live/group-sums.ts'
import { groupWord } from '../live/live-hour.ts'
import { KeptSums, SeriesNumbers } from './kept-sums.ts'

type LatencyRow = [minute: number, service: number, operation: number, bucket: number, count: number]

function latencies(...rows: LatencyRow[]): GroupSums {
  const sums = new GroupSums(1)
  for (const [minute, service, operation, bucket, count] of rows) {
    const at = sums.at(groupWord(minute, 2, 3), service, operation, bucket, 0)
    sums.sums[at] = (sums.sums[at] as number) + count
  }
  return sums
}

function rowsOf(sums: Sums): LatencyRow[] {
  return Array.from({ length: sums.size }, (_, group) => {
    expect(sums.key(group, 0) >>> 8).toBe(groupWord(0, 2, 3) >>> 8)
    const key = (word: number) => sums.key(group, word)
    return [key(0) & 0xff, key(1), key(2), key(3), sums.sum(group, 0)]
  })
}

function kept(): KeptSums {
  return new KeptSums(new SeriesNumbers(), { columns: 1, words: 3, hasBucket: true })
}

function minutes(table: KeptSums, first: number, end: number): LatencyRow[] {
  return [...table.eachMinute(first, end)].flatMap(({ sums }) => rowsOf(sums))
}

/** What the series of some minutes have in each bucket, whatever parts it is told in. */
function buckets(table: KeptSums, first: number, end: number): Record<string, number> {
  const counts: Record<string, number> = {}
  table.eachSeries(first, end, (series, { keys, counts: added, first: at, end: last }) => {
    for (let i = at; i < last; i++) {
      const key = `${series}:${(keys[i] as number) % BUCKETS_MAX}`
      counts[key] = (counts[key] ?? 0) + (added[i] as number)
    }
  })
  return counts
}

describe('kept sums', () => {
  it('tell the buckets of a series the same however often they are asked for, and what is added meanwhile', () => {
    const table = kept()
    const everyMinute = Array.from({ length: 60 }, (_, minute): LatencyRow => [minute, 1, 2, 900 + (minute % 3), 1])
    table.add(latencies(...everyMinute))
    for (let time = 0; time < 3; time++) {
      expect(buckets(table, 0, 60)).toEqual({ '0:900': 20, '0:901': 20, '0:902': 20 })
      expect(buckets(table, 9, 31)).toEqual({ '0:900': 8, '0:901': 7, '0:902': 7 })
    }
    table.add(latencies([15, 1, 2, 900, -1], [15, 1, 2, 7, 1], [29, 1, 3, 1, 5]))
    for (let time = 0; time < 3; time++) {
      const told = buckets(table, 10, 30)
      expect(told).toEqual({ '0:7': 1, '0:900': 5, '0:901': 7, '0:902': 7, '1:1': 5 })
    }
  })

  it('tell the groups of some minutes, each with its minute', () => {
    const table = kept()
    table.add(latencies([5, 1, 2, 900, 3], [7, 1, 2, 4095, 1], [5, 1, 2, 0, 4]))
    expect(minutes(table, 0, 60)).toEqual([
      [5, 1, 2, 0, 4],
      [5, 1, 2, 900, 3],
      [7, 1, 2, 4095, 1],
    ])
    expect(minutes(table, 6, 7)).toEqual([])
    expect([table.has(5), table.has(6)]).toEqual([true, false])
  })

  it('add up what comes of the same group, and what is taken away', () => {
    const table = kept()
    table.add(latencies([5, 1, 2, 900, 3], [5, 9, 9, 1, 1]))
    table.add(latencies([5, 1, 2, 900, -2], [5, 1, 2, 901, 2], [5, 0, 7, 3, 1]))
    expect(minutes(table, 5, 6).toSorted(([, a], [, b]) => a - b)).toEqual([
      [5, 0, 7, 3, 1],
      [5, 1, 2, 900, 1],
      [5, 1, 2, 901, 2],
      [5, 9, 9, 1, 1],
    ])
  })

  it('tell some minutes together, under the first of them', () => {
    const table = new KeptSums(new SeriesNumbers(), { columns: 1, words: 3, hasBucket: false })
    table.add(latencies([5, 1, 2, 0, 3], [6, 1, 2, 0, 4], [6, 3, 2, 0, 1], [8, 1, 2, 0, 100]))
    expect(rowsOf(table.together(5, 8)).toSorted((a, b) => a[1] - b[1])).toEqual([
      [5, 1, 2, 0, 7],
      [5, 3, 2, 0, 1],
    ])
    expect(rowsOf(table.together(9, 20)).every(([, , , , sum]) => sum === 0)).toBe(true)
  })

  it('tell the buckets of some minutes, by series', () => {
    const table = kept()
    table.add(latencies([5, 1, 2, 900, 3], [5, 1, 2, 901, 2], [6, 1, 2, 900, 4], [6, 3, 2, 7, 1], [8, 1, 2, 900, 100]))
    const found: number[][] = []
    table.eachSeries(5, 8, (series, { keys, counts, first, end }) => {
      for (let i = first; i < end; i++)
        found.push([table.series.key(series, 1), (keys[i] as number) % BUCKETS_MAX, counts[i] as number])
    })
    expect(found).toEqual([
      [1, 900, 3],
      [1, 901, 2],
      [1, 900, 4],
      [3, 7, 1],
    ])
  })

  it('leave out groups of which nothing is left', () => {
    const table = kept()
    table.add(latencies([5, 1, 2, 900, 3], [5, 1, 2, 900, -3]))
    expect(minutes(table, 0, 60)).toEqual([])
  })
})
