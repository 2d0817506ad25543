import { EXACT_REQUESTS_MAX } from '../../../domain/latencies.ts'

const MINUTES_PER_HOUR = 60
/** More than these many of a minute are never told one by one. */
const PER_MINUTE_MAX = EXACT_REQUESTS_MAX
/**
 * Where there is little room, those minutes of a series are given up that have the most, down to so many. No more are read from
 * an hour file either: a quarter of an hour of fewer than 1,000 requests seldom has a minute of more.
 */
export const PER_MINUTE_MIN = 128
const BYTES_MAX = 12 * 1024 * 1024
const TWO_TO_32 = 4_294_967_296

/** The durations of one minute's requests, by series. */
interface MinuteDurations {
  /** Ascending; the durations of a series end where those of the next one begin. */
  series: Uint32Array
  ends: Uint32Array
  values: Uint32Array | Float64Array
  /** Series whose durations are not kept. */
  many: Set<number>
}

interface Changes {
  added: number[]
  taken: number[]
  /** Too many to be told one by one. */
  isMany: boolean
}

/** What one file does to the durations of an hour: added ones, and ones that were counted before and do no longer. */
export class DurationChanges {
  readonly minutes = new Map<number, Map<number, Changes>>()

  add(minute: number, series: number, durationNs: number, n: number): void {
    const { added, taken } = this.of(minute, series)
    const to = n > 0 ? added : taken
    for (let i = Math.abs(n); i > 0; i--) to.push(durationNs)
  }

  addMany(minute: number, series: number): void {
    this.of(minute, series).isMany = true
  }

  private of(minute: number, series: number): Changes {
    let changed = this.minutes.get(minute)
    if (!changed) {
      changed = new Map()
      this.minutes.set(minute, changed)
    }
    let changes = changed.get(series)
    if (!changes) {
      changes = { added: [], taken: [], isMany: false }
      changed.set(series, changes)
    }
    return changes
  }
}

/** How long requests took, one by one, as far as they are so few that somebody may ask. */
export class KeptDurations {
  private readonly minutes: (MinuteDurations | undefined)[] = new Array(MINUTES_PER_HOUR).fill(undefined)
  private readonly bytesMax: number
  private perMinuteMax = PER_MINUTE_MAX
  /** Minutes of which the hour file has requests that were not read, but for those of some series. */
  private readonly unread: Set<number>
  private readonly readSeries = new Set<number>()
  private readonly series: { readonly size: number }
  /** Series that somebody asked for in vain. */
  private missing: number[] = []

  /** `series` are all that the hour has. */
  constructor(unread: Iterable<number> = [], series = { size: 0 }, bytesMax = BYTES_MAX) {
    this.unread = new Set(unread)
    this.series = series
    this.bytesMax = bytesMax
  }

  get bytes(): number {
    return this.minutes.reduce(
      (sum, each) => sum + (each ? each.series.byteLength + each.ends.byteLength + each.values.byteLength : 0),
      0,
    )
  }

  /** Those of `[first, end)` that are to be read. */
  unreadMinutes(first = 0, end = MINUTES_PER_HOUR): number[] {
    return [...this.unread].filter((minute) => minute >= first && minute < end)
  }

  isUnread(series: number): boolean {
    return !this.readSeries.has(series)
  }

  /** Those that were asked for last and are to be read; once, whatever comes of it. */
  takeMissing(): number[] {
    const { missing } = this
    this.missing = []
    return missing
  }

  /** All that the hour file has of some series in the minutes that were not read. Others may have read the same meanwhile. */
  readOf(series: number[], all: DurationChanges): void {
    const added = new Set(series.filter((each) => this.isUnread(each)))
    for (const each of added) this.readSeries.add(each)
    const changes = new DurationChanges()
    for (const [minute, changed] of all.minutes)
      if (this.unread.has(minute)) changes.minutes.set(minute, ofSeries(changed, added))
    this.add(changes)
  }

  /** All that the hour file has of some minutes. */
  read(minutes: number[], all: DurationChanges): void {
    for (const minute of minutes) {
      this.unread.delete(minute)
      this.minutes[minute] = undefined
    }
    this.add(all)
  }

  add(changes: DurationChanges): void {
    for (const [minute, changed] of changes.minutes) {
      const known = this.unread.has(minute) ? ofSeries(changed, this.readSeries) : changed
      if (known.size > 0)
        this.minutes[minute] = changedMinute(this.minutes[minute] ?? NOTHING, known, this.perMinuteMax)
    }
    while (this.bytes > this.bytesMax && this.perMinuteMax > PER_MINUTE_MIN) this.giveUpLargest()
  }

  /** Those of the series that are wanted, in minutes `[first, end)`. False where some of them are not kept. */
  each(
    first: number,
    end: number,
    isWanted: (series: number) => boolean,
    each: (series: number, durationNs: number) => void,
  ): boolean {
    if (this.unreadMinutes(first, end).length > 0) {
      const all = Array.from({ length: this.series.size }, (_, series) => series)
      this.missing = all.filter((series) => isWanted(series) && !this.readSeries.has(series))
      if (this.missing.length > 0) return false
    }
    for (const minute of this.minutes.slice(first, end)) {
      if (!minute) continue
      const { series, ends, values, many } = minute
      for (const number of many) if (isWanted(number)) return false
      for (let i = 0; i < series.length; i++) {
        if (!isWanted(series[i] as number)) continue
        for (let at = i === 0 ? 0 : (ends[i - 1] as number); at < (ends[i] as number); at++)
          each(series[i] as number, values[at] as number)
      }
    }
    return true
  }

  private giveUpLargest(): void {
    this.perMinuteMax = Math.max(PER_MINUTE_MIN, Math.floor(this.perMinuteMax / 2))
    for (const [minute, known] of this.minutes.entries())
      if (known) this.minutes[minute] = changedMinute(known, new Map(), this.perMinuteMax)
  }
}

const NOTHING: MinuteDurations = {
  series: new Uint32Array(0),
  ends: new Uint32Array(0),
  values: new Uint32Array(0),
  many: new Set(),
}

function ofSeries(changed: Map<number, Changes>, wanted: Set<number>): Map<number, Changes> {
  return new Map([...changed].filter(([series]) => wanted.has(series)))
}

function changedMinute(known: MinuteDurations, changed: Map<number, Changes>, perMinuteMax: number): MinuteDurations {
  const many = new Set(known.many)
  const slices = new Map<number, ArrayLike<number>>()
  for (const [i, series] of known.series.entries())
    slices.set(series, known.values.subarray(i === 0 ? 0 : known.ends[i - 1], known.ends[i]))
  const giveUp = (series: number) => {
    many.add(series)
    slices.delete(series)
  }
  for (const [series, { added, taken, isMany }] of changed) {
    if (many.has(series)) continue
    const left = isMany ? undefined : without([...Array.from(slices.get(series) ?? []), ...added], taken)
    if (left) slices.set(series, left)
    else giveUp(series)
  }
  for (const [series, { length }] of slices) if (length > perMinuteMax) giveUp(series)
  return { ...flat(slices), many }
}

/** Undefined where something is to be taken away that is not there. */
function without(values: number[], taken: number[]): number[] | undefined {
  for (const value of taken) {
    const at = values.indexOf(value)
    if (at < 0) return undefined
    values.splice(at, 1)
  }
  return values
}

function flat(slices: Map<number, ArrayLike<number>>): Omit<MinuteDurations, 'many'> {
  const series = Uint32Array.from(slices.keys()).sort()
  const ends = new Uint32Array(series.length)
  let [size, longest] = [0, 0]
  for (const slice of slices.values()) {
    size += slice.length
    for (let i = 0; i < slice.length; i++) longest = Math.max(longest, slice[i] as number)
  }
  const values = longest < TWO_TO_32 ? new Uint32Array(size) : new Float64Array(size)
  let at = 0
  for (const [i, number] of series.entries()) {
    const slice = slices.get(number) as ArrayLike<number>
    values.set(slice, at)
    at += slice.length
    ends[i] = at
  }
  return { series, ends, values }
}
