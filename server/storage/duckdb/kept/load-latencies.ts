import type { Session } from '../engine/session.ts'
import type { HourFile } from '../files/hour-file.ts'
import { BUCKETS_MAX, CountSums } from '../latencies/count-sums.ts'
import { eachCount } from '../latencies/packed-counts.ts'
import { eachPackedRows } from '../latencies/packed-rows.ts'
import { groupWord } from '../live/live-hour.ts'
import type { KeptHour } from './kept-hour.ts'
import type { SortedSums } from './minute-table.ts'
import type { NumbersInMemory } from './numbers-in-memory.ts'

interface Packed {
  series: number
  counts: Uint8Array
}

/** Reads how long requests took into an hour that has nothing of it yet, within the caller's transaction. */
export async function loadLatencies(
  session: Session,
  { alias }: HourFile,
  { requestSeries, latencies }: KeptHour,
  numbers: NumbersInMemory,
): Promise<void> {
  const table = new SortedCounts()
  let [minute, rows] = [0, [] as Packed[]]
  const endMinute = () => {
    if (rows.length > 0) latencies.addMinute(minute, table.of(rows))
    rows = []
  }
  await eachPackedRows(
    session,
    `SELECT minute, kind, role, service_no, operation_no, counts FROM ${alias}.minute_latencies ORDER BY minute`,
    (part) => {
      const cell = (column: number, row: number) => part.numbers.column(column)[row] as number
      for (const [row, counts] of part.packed.entries()) {
        if (cell(0, row) !== minute) endMinute()
        minute = cell(0, row)
        const word = groupWord(0, cell(1, row), cell(2, row))
        const [service, operation] = [numbers.name(cell(3, row)), numbers.name(cell(4, row))]
        rows.push({ series: requestSeries.of(word, service, operation, 0, 0), counts })
      }
    },
  )
  endMinute()
}

/** Puts the packed counts of a minute in one order. */
class SortedCounts {
  private readonly sums = new CountSums()
  private keys = new Uint32Array(1024)
  private values = new Int32Array(1024)
  private size = 0

  of(rows: Packed[]): SortedSums {
    this.size = 0
    rows.sort((a, b) => a.series - b.series)
    for (const [i, { series, counts }] of rows.entries()) {
      eachCount(counts, (bucket, count) => this.sums.add(bucket, count))
      if (rows[i + 1]?.series !== series)
        this.sums.take((bucket, count) => this.put(series * BUCKETS_MAX + bucket, count))
    }
    return { keys: this.keys.slice(0, this.size), values: this.values.slice(0, this.size) }
  }

  private put(key: number, count: number): void {
    if (this.size === this.keys.length) {
      const [keys, values] = [new Uint32Array(this.size * 2), new Int32Array(this.size * 2)]
      keys.set(this.keys)
      values.set(this.values)
      this.keys = keys
      this.values = values
    }
    this.keys[this.size] = key
    this.values[this.size++] = count
  }
}
