import { CORRECTION } from '../live/corrections.ts'
import type { LiveHour } from '../live/live-hour.ts'
import { groupWord, minuteOfWord } from '../live/live-hour.ts'
import type { LiveSpans } from '../live/live-spans.ts'
import type { Subject } from '../live/open-figures.ts'
import { rowOf } from '../live/span-ring.ts'
import { LOCAL_ROOT, REQUEST } from '../schema.ts'
import { DurationChanges, type KeptDurations } from './kept-durations.ts'
import { KeptSums, SeriesNumbers } from './kept-sums.ts'
import type { MinuteRows } from './minute-rows.ts'

const ROLES = REQUEST | LOCAL_ROOT
const TWO_TO_32 = 4_294_967_296
const NS_PER_MINUTE_AS_NUMBER = 60_000_000_000

/** The sums that an hour file has, in memory, with the numbers of texts and origins that spans in memory have. */
export class KeptHour {
  readonly hour: number
  readonly requestSeries = new SeriesNumbers()
  readonly requests = new KeptSums(this.requestSeries, { columns: 6, words: 3, hasBucket: false })
  readonly latencies = new KeptSums(this.requestSeries, { columns: 1, words: 3, hasBucket: true })
  readonly calls = new KeptSums(new SeriesNumbers(), { columns: 5, words: 5, hasBucket: false })
  readonly origins = new KeptSums(new SeriesNumbers(), { columns: 4, words: 2, hasBucket: false })
  /** Undefined where spans are no longer kept. */
  durations: KeptDurations | undefined
  /** Minutes of which somebody asked for a part, by what it was asked for. */
  readonly rows: Record<Subject, Map<number, MinuteRows>> = { requests: new Map(), calls: new Map(), spans: new Map() }
  /** The numbers of the open files that are in the sums. */
  readonly sealed: Set<number>
  lastIntoHourNs = -1
  bytes = 0

  constructor(hour: number, sealed: Iterable<number> = [], durations?: KeptDurations) {
    this.hour = hour
    this.sealed = new Set(sealed)
    this.durations = durations
  }

  get isFull(): boolean {
    return [this.requests, this.calls, this.origins].some(({ isFull }) => isFull)
  }

  /** An open file was sealed into the hour; `added` are its figures, if it has spans here. */
  add(openNumber: number, added: LiveHour | undefined, live: LiveSpans): void {
    if (this.sealed.has(openNumber)) return
    this.sealed.add(openNumber)
    if (!added) return
    this.requests.add(added.requests)
    this.latencies.add(added.latencies)
    this.calls.add(added.calls)
    this.origins.add(added.origins)
    this.durations?.add(this.durationsOf(added, live))
    this.lastIntoHourNs = Math.max(this.lastIntoHourNs, added.lastIntoHourNs)
    for (const { size, keys } of [added.origins, added.calls])
      for (let group = 0; group < size; group++) this.dropRows(minuteOfWord(keys[group * 5] as number))
    this.measure()
  }

  /** The series whose durations somebody asked for last and in vain, as what tells them apart in any hour. */
  takeMissingDurations(): string[] {
    return this.durations?.takeMissing().map((series) => this.keyOfSeries(series)) ?? []
  }

  /** Those of these series that the hour has, and whose durations were not read. */
  unreadSeries(keys: Set<string>): number[] {
    const all = Array.from({ length: this.requestSeries.size }, (_, series) => series)
    return all.filter((series) => keys.has(this.keyOfSeries(series)) && this.durations?.isUnread(series))
  }

  measure(): void {
    const tables = [this.requests, this.latencies, this.calls, this.origins]
    const series = [this.requestSeries, this.calls.series, this.origins.series]
    this.bytes =
      [...tables, ...series, ...this.allRows()].reduce((sum, { bytes }) => sum + bytes, 0) +
      (this.durations?.bytes ?? 0)
  }

  markUsed(texts: Uint8Array, origins: Uint8Array): void {
    for (const [series, words] of [
      [this.requestSeries, [1, 2]],
      [this.calls.series, [1, 2, 3, 4]],
    ] as const)
      for (let number = 0; number < series.size; number++) for (const word of words) texts[series.key(number, word)] = 1
    for (let number = 0; number < this.origins.series.size; number++) origins[this.origins.series.key(number, 1)] = 1
    for (const rows of this.allRows()) rows.markUsed(texts, origins)
  }

  private keyOfSeries(series: number): string {
    return [0, 1, 2].map((word) => this.requestSeries.key(series, word)).join(' ')
  }

  private allRows(): MinuteRows[] {
    return Object.values(this.rows).flatMap((minutes) => [...minutes.values()])
  }

  private dropRows(minute: number): void {
    for (const minutes of Object.values(this.rows)) minutes.delete(minute)
  }

  private durationsOf(added: LiveHour, live: LiveSpans): DurationChanges {
    const changes = new DurationChanges()
    const seriesOf = (kind: number, role: number, service: number, operation: number) =>
      this.requestSeries.of(groupWord(0, kind, role & ROLES), service, operation, 0, 0)
    for (let i = 0; i < added.spans; i++) {
      const id = added.ids[i] as number
      const segment = live.segmentOf(id)
      const row = rowOf(id)
      const role = segment.ownRole[row] as number
      if ((role & ROLES) === 0 || live.isCopy(segment, row)) continue
      const [kind, service, operation] = [segment.kind[row], segment.service[row], segment.operation[row]]
      const series = seriesOf(kind as number, role, service as number, operation as number)
      const [low, high] = [segment.durationHalves[row * 2], segment.durationHalves[row * 2 + 1]]
      changes.add(segment.minute[row] as number, series, (high as number) * TWO_TO_32 + (low as number), 1)
    }
    const { requestCorrections: corrected } = added
    for (let row = 0; row < corrected.size; row++) {
      if ((corrected.role(row) & ROLES) === 0) continue
      const word = (index: number) => corrected.word(row, index)
      const [service, operation] = [word(CORRECTION.service), word(CORRECTION.operation)]
      const series = seriesOf(corrected.kind(row), corrected.role(row), service, operation)
      const intoHourNs = added.intoHourNs(word(CORRECTION.startLow), word(CORRECTION.startHigh))
      const durationNs = word(CORRECTION.durationHigh) * TWO_TO_32 + word(CORRECTION.durationLow)
      changes.add(Math.floor(intoHourNs / NS_PER_MINUTE_AS_NUMBER), series, durationNs, corrected.n(row))
    }
    return changes
  }
}
