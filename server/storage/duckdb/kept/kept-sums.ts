import { BUCKET_BITS, BUCKETS_MAX } from '../latencies/count-sums.ts'
import { GroupSums, type Sums } from '../live/group-sums.ts'
import { minuteOfWord } from '../live/live-hour.ts'
import { addedUp, emptySums, type SortedSums, type Values } from './minute-table.ts'

const MINUTES_PER_HOUR = 60
/** Buckets of so many minutes together are a few more than those of one. */
const BLOCK_MINUTES = 10
const SERIES_MAX = 2 ** 20
const TWO_TO_32 = 4_294_967_296

/** What a table of sums is by. */
export interface Keying {
  columns: number
  /** How many of a group's numbers tell it apart, but for its bucket, which comes after them. */
  words: number
  hasBucket: boolean
}

/** Rows `[first, end)` of one series: the lowest bits of a key are its bucket. It is filled anew for each series. */
export interface BucketRun {
  keys: Uint32Array
  counts: ArrayLike<number>
  first: number
  end: number
}

/** Everything that the groups of a table have in common but for their minute and bucket, by number. */
export class SeriesNumbers {
  readonly numbers = new GroupSums(1)

  get size(): number {
    return this.numbers.size
  }

  /** `word` has kind and role; its minute does not matter. */
  of(word: number, a: number, b: number, c: number, d: number): number {
    return this.numbers.at((word & ~0xff) >>> 0, a, b, c, d)
  }

  key(series: number, word: number): number {
    return this.numbers.key(series, word)
  }

  get bytes(): number {
    return this.numbers.bytes
  }
}

/** One table of an hour's sums, minute by minute: a row costs little more than what is in it. */
export class KeptSums {
  readonly keying: Keying
  readonly series: SeriesNumbers
  private readonly minutes: (SortedSums | undefined)[] = new Array(MINUTES_PER_HOUR).fill(undefined)
  private readonly values: Values
  /** Minutes added up, of a table that has buckets: from the second time on that they are asked for as they are. */
  private readonly blocks: (SortedSums | 'asked for' | undefined)[] = []

  constructor(series: SeriesNumbers, keying: Keying) {
    this.series = series
    this.keying = keying
    this.values = keying.hasBucket ? 'counts' : 'sums'
  }

  get bytes(): number {
    return [...this.minutes, ...this.blocks].reduce(
      (sum, each) => sum + (typeof each === 'object' ? each.keys.byteLength + each.values.byteLength : 0),
      0,
    )
  }

  /** Numbers of series leave room for the bucket. */
  get isFull(): boolean {
    return this.series.size >= SERIES_MAX
  }

  add(from: Sums): void {
    const { columns } = this.keying
    const places = new Float64Array(from.size)
    const order = new Uint32Array(from.size)
    let groups = 0
    for (let group = 0; group < from.size; group++) {
      if (isNothing(from, group, columns)) continue
      places[group] = minuteOfWord(from.key(group, 0)) * TWO_TO_32 + this.keyOf(from, group)
      order[groups++] = group
    }
    const sorted = order.subarray(0, groups).sort((a, b) => (places[a] as number) - (places[b] as number))
    const minuteAt = (at: number) => Math.floor((places[sorted[at] as number] as number) / TWO_TO_32)
    for (let at = 0; at < groups; ) {
      const minute = minuteAt(at)
      let end = at + 1
      while (end < groups && minuteAt(end) === minute) end++
      const added = emptySums(end - at, columns, this.values)
      for (let row = 0; at < end; at++, row++) {
        const group = sorted[at] as number
        added.keys[row] = (places[group] as number) % TWO_TO_32
        for (let column = 0; column < columns; column++) added.values[row * columns + column] = from.sum(group, column)
      }
      this.addMinute(minute, added)
    }
  }

  /** Rows of one minute, which are taken as they are where it has none yet. */
  addMinute(minute: number, added: SortedSums): void {
    const known = this.minutes[minute]
    this.minutes[minute] = known ? addedUp(known, added, this.keying.columns, this.values) : added
    this.blocks[Math.floor(minute / BLOCK_MINUTES)] = undefined
  }

  has(minute: number): boolean {
    return this.minutes[minute] !== undefined
  }

  /** How many rows the minutes of `[first, end)` have. */
  rowsIn(first: number, end: number): number {
    return this.minutes.slice(first, end).reduce((sum, each) => sum + (each?.keys.length ?? 0), 0)
  }

  /** One table for each minute of `[first, end)`. */
  *eachMinute(first: number, end: number): Generator<{ minute: number; sums: Sums }> {
    for (let minute = first; minute < end; minute++) {
      const found = this.minutes[minute]
      if (found) yield { minute, sums: new MinuteView(this, minute, found) }
    }
  }

  /** The minutes of `[first, end)` added up, under the first of them; of a table that has no buckets. */
  together(first: number, end: number): Sums {
    const parts = this.minutes.slice(first, end).filter((part) => part !== undefined)
    return new MinuteView(this, first, seriesTogether(parts, this.series.size, this.keying))
  }

  /** The buckets of each series in the minutes of `[first, end)`, of a table that has any; a series may be told in parts. */
  eachSeries(first: number, end: number, each: (series: number, buckets: BucketRun) => void): void {
    for (const { keys, values } of this.partsOf(first, end)) {
      const run: BucketRun = { keys, counts: values, first: 0, end: 0 }
      while (run.first < keys.length) {
        const series = (keys[run.first] as number) >>> BUCKET_BITS
        run.end = run.first + 1
        while (run.end < keys.length && (keys[run.end] as number) >>> BUCKET_BITS === series) run.end++
        each(series, run)
        run.first = run.end
      }
    }
  }

  private partsOf(first: number, end: number): SortedSums[] {
    const parts: (SortedSums | undefined)[] = []
    for (let minute = first; minute < end; ) {
      const isWhole = minute % BLOCK_MINUTES === 0 && minute + BLOCK_MINUTES <= end
      parts.push(...(isWhole ? this.block(minute / BLOCK_MINUTES) : [this.minutes[minute]]))
      minute += isWhole ? BLOCK_MINUTES : 1
    }
    return parts.filter((part) => part !== undefined)
  }

  private block(index: number): (SortedSums | undefined)[] {
    const known = this.blocks[index]
    if (typeof known === 'object') return [known]
    const minutes = this.minutes.slice(index * BLOCK_MINUTES, (index + 1) * BLOCK_MINUTES)
    this.blocks[index] = 'asked for'
    if (known === undefined) return minutes
    const together = minutes
      .filter((minute) => minute !== undefined)
      .reduce((sum, minute) => addedUp(sum, minute, this.keying.columns, this.values), emptySums(0, 0, this.values))
    this.blocks[index] = together
    return [together]
  }

  private keyOf(from: Sums, group: number): number {
    const { words, hasBucket } = this.keying
    const key = (word: number) => (word < words ? from.key(group, word) : 0)
    const series = this.series.of(from.key(group, 0), key(1), key(2), key(3), key(4))
    return hasBucket ? series * BUCKETS_MAX + from.key(group, words) : series
  }
}

/** What was added and taken away again is not worth a row. */
function isNothing(from: Sums, group: number, columns: number): boolean {
  for (let column = 0; column < columns; column++) if (from.sum(group, column) !== 0) return false
  return true
}

function seriesTogether(parts: SortedSums[], series: number, { columns }: Keying): SortedSums {
  const values = new Float64Array(series * columns)
  for (const part of parts)
    for (let row = 0; row < part.keys.length; row++) {
      const to = (part.keys[row] as number) * columns
      for (let i = 0; i < columns; i++)
        values[to + i] = (values[to + i] as number) + (part.values[row * columns + i] as number)
    }
  return { keys: Uint32Array.from({ length: series }, (_, key) => key), values }
}

/** Kept sums, read as those in memory from the beginning are. */
export class MinuteView implements Sums {
  private readonly table: KeptSums
  private readonly minute: number
  private readonly rows: SortedSums

  constructor(table: KeptSums, minute: number, rows: SortedSums) {
    this.table = table
    this.minute = minute
    this.rows = rows
  }

  get size(): number {
    return this.rows.keys.length
  }

  get series(): SeriesNumbers {
    return this.table.series
  }

  seriesOf(group: number): number {
    const key = this.rows.keys[group] as number
    return this.table.keying.hasBucket ? key >>> BUCKET_BITS : key
  }

  key(group: number, word: number): number {
    const { hasBucket, words } = this.table.keying
    if (hasBucket && word === words) return (this.rows.keys[group] as number) & (BUCKETS_MAX - 1)
    const found = this.series.key(this.seriesOf(group), word)
    return word === 0 ? (found | this.minute) >>> 0 : found
  }

  sum(group: number, column: number): number {
    return this.rows.values[group * this.table.keying.columns + column] as number
  }
}
