import type { TimeWindow } from '../../../domain/time-window.ts'
import type { KeptHour } from '../kept/kept-hour.ts'
import { type KeptSums, MinuteView, type SeriesNumbers } from '../kept/kept-sums.ts'
import type { MinuteRows, RowRange } from '../kept/minute-rows.ts'
import { nsRangeOfHour } from '../layout.ts'
import { LOCAL_ROOT, REQUEST } from '../schema.ts'
import { type MinuteRanges, minuteRanges, NS_PER_MINUTE } from '../scope/minute-ranges.ts'
import { correctionsIn, emptyFigure, type Figure, setTimes } from './figure.ts'
import type { GroupSums, Sums } from './group-sums.ts'
import { type LiveHour, minuteOfWord } from './live-hour.ts'
import type { LiveSpans } from './live-spans.ts'
import { isCall } from './span-kinds.ts'
import { rowOf } from './span-ring.ts'
import { WithinHour } from './within-hour.ts'

const ROLES = REQUEST | LOCAL_ROOT
const MINUTES_PER_HOUR = 60

/** Some rows of a minute, which is counted since the epoch. */
export interface RaggedRows {
  rows: MinuteRows
  range: RowRange
  minute: number
}

/** The tables of sums that an hour has. */
interface HourTables<T> {
  requests: T
  latencies: T
  calls: T
  origins: T
}

export type SumsOf = <T>(hour: HourTables<T>) => T

/** What a question is about: all spans, or those that may count as requests, or are calls. Each has corrections. */
export type Subject = 'spans' | 'requests' | 'calls'

function isAbout(subject: Subject, kind: number, role: number): boolean {
  if (subject === 'requests') return (role & ROLES) !== 0
  return subject === 'spans' || isCall(kind)
}

/**
 * How a window lies on an hour of figures. A window that ends after the last span of the hour has the rest of that minute too: no
 * span of it need be looked at.
 */
export function rangesOn({ hour, lastIntoHourNs }: Pick<KeptHour, 'hour' | 'lastIntoHourNs'>, window: TimeWindow) {
  const { firstNs, lastNs } = nsRangeOfHour(hour)
  const endNs = window.endNs - firstNs
  if (window.endNs <= firstNs || window.endNs > lastNs || lastIntoHourNs >= Number(endNs))
    return minuteRanges(hour, window)
  const minutes = (endNs + NS_PER_MINUTE - 1n) / NS_PER_MINUTE
  return minuteRanges(hour, { startNs: window.startNs, endNs: firstNs + minutes * NS_PER_MINUTE })
}

/** What is in memory of a Grid, as one question sees it: what is not sealed yet, and sums of hours that are. */
export class OpenFigures {
  readonly live: LiveSpans
  readonly hours: LiveHour[]
  readonly kept: KeptHour[]

  constructor(live: LiveSpans, hours: LiveHour[], kept: KeptHour[] = []) {
    this.live = live
    this.hours = hours
    this.kept = kept
  }

  /** The same without sealed hours. */
  get unsealed(): OpenFigures {
    return new OpenFigures(this.live, this.hours)
  }

  /**
   * Groups of a table of sums whose minutes lie in the window whole; `minute` is the one since the epoch. Unless told by minute,
   * groups of several minutes may be told as one, under the first of them.
   */
  eachGroup(
    window: TimeWindow,
    sumsOf: SumsOf,
    byMinute: boolean,
    each: (sums: Sums, group: number, minute: number) => void,
  ): void {
    for (const hour of this.hours) {
      const { whole } = rangesOn(hour, window)
      if (!whole) continue
      const sums: GroupSums = sumsOf(hour)
      for (let group = 0; group < sums.size; group++) {
        const minute = minuteOfWord(sums.key(group, 0))
        if (minute >= whole.first && minute < whole.end) each(sums, group, hour.hour * MINUTES_PER_HOUR + minute)
      }
    }
    for (const hour of this.kept) {
      const { whole } = rangesOn(hour, window)
      if (whole) eachKept(sumsOf(hour), hour.hour, whole, byMinute, each)
    }
  }

  /**
   * The same, with the place that a group has: groups that are alike but for their minute have the same one, and `placeOf` is
   * asked about some of them only.
   */
  eachPlaced(
    window: TimeWindow,
    sumsOf: SumsOf,
    byMinute: boolean,
    placeOf: (sums: Sums, group: number) => number,
    each: (place: number, sums: Sums, group: number, minute: number) => void,
  ): void {
    const places = new Map<SeriesNumbers, Int32Array>()
    this.eachGroup(window, sumsOf, byMinute, (sums, group, minute) => {
      if (!(sums instanceof MinuteView)) return each(placeOf(sums, group), sums, group, minute)
      let known = places.get(sums.series)
      if (!known) {
        known = new Int32Array(sums.series.size).fill(-1)
        places.set(sums.series, known)
      }
      const series = sums.seriesOf(group)
      if (known[series] === -1) known[series] = placeOf(sums, group)
      each(known[series] as number, sums, group, minute)
    })
  }

  /** About how many groups that is, by minute. */
  groupsIn(window: TimeWindow, sumsOf: SumsOf): number {
    const ofKept = this.kept.map((hour) => {
      const { whole } = rangesOn(hour, window)
      return whole ? sumsOf<KeptSums>(hour).rowsIn(whole.first, whole.end) : 0
    })
    return ofKept.reduce((sum, rows) => sum + rows, 0)
  }

  /**
   * Spans at the ragged ends of a window one by one, as far as they are not sealed, with corrections. The figure that is told is
   * filled anew for each.
   */
  eachOpenRagged(window: TimeWindow, subject: Subject, each: (figure: Figure) => void): void {
    this.eachIn(window, (hour) => rangesOn(hour, window).ragged, subject, each)
  }

  /** The same of sealed hours, whose minutes at the ragged ends must be in memory. */
  keptRagged(window: TimeWindow, subject: Subject): RaggedRows[] {
    return this.kept.flatMap((hour) => raggedRows(hour, rangesOn(hour, window), subject))
  }

  /** Spans of the whole window one by one, as far as they are not sealed, with corrections. */
  eachOpenSpan(window: TimeWindow, subject: Subject, each: (figure: Figure) => void): void {
    this.eachIn(window, () => [window], subject, each)
  }

  private eachIn(
    window: TimeWindow,
    rangesOf: (hour: LiveHour) => TimeWindow[],
    subject: Subject,
    each: (figure: Figure) => void,
  ): void {
    for (const hour of this.hours) {
      const ranges = minuteRanges(hour.hour, window)
      if (!ranges.whole && ranges.ragged.length === 0) continue
      const wanted = rangesOf(hour)
      if (wanted.length === 0) continue
      const within = new WithinHour(hour.hour, wanted)
      this.spansOf(hour, within, subject, each)
      const corrections = subject === 'calls' ? hour.callCorrections : hour.requestCorrections
      correctionsIn(corrections, hour.hour, within, each)
    }
  }

  private spansOf(hour: LiveHour, within: WithinHour, subject: Subject, each: (figure: Figure) => void): void {
    const figure = emptyFigure()
    const firstMinute = hour.hour * MINUTES_PER_HOUR
    for (let i = 0; i < hour.spans; i++) {
      const id = hour.ids[i] as number
      const segment = this.live.segmentOf(id)
      const row = rowOf(id)
      const minute = segment.minute[row] as number
      if (within.minutes[minute] === 0) continue
      if (!isAbout(subject, segment.kind[row] as number, segment.ownRole[row] as number)) continue
      setTimes(figure, within, segment.startHalves, segment.durationHalves, row * 2)
      if (!within.has(figure.intoHourNs) || this.live.isCopy(segment, row)) continue
      figure.minute = firstMinute + minute
      figure.service = segment.service[row] as number
      figure.operation = segment.operation[row] as number
      figure.origin = segment.origin[row] as number
      figure.called = segment.called[row] as number
      figure.dependency = segment.dependency[row] as number
      figure.callee = segment.ownCallee[row] as number
      figure.kind = segment.kind[row] as number
      figure.status = segment.status[row] as number
      figure.role = segment.ownRole[row] as number
      each(figure)
    }
  }
}

function eachKept(
  table: KeptSums,
  hour: number,
  { first, end }: { first: number; end: number },
  byMinute: boolean,
  each: (sums: Sums, group: number, minute: number) => void,
): void {
  const parts =
    byMinute || table.keying.hasBucket
      ? table.eachMinute(first, end)
      : [{ minute: first, sums: table.together(first, end) }]
  for (const { minute, sums } of parts)
    for (let group = 0; group < sums.size; group++) each(sums, group, hour * MINUTES_PER_HOUR + minute)
}

function raggedRows({ hour, rows }: KeptHour, { ragged }: MinuteRanges, subject: Subject): RaggedRows[] {
  if (ragged.length === 0) return []
  const within = new WithinHour(hour, ragged)
  const touched = [...rows[subject]].filter(([minute]) => within.minutes[minute] === 1)
  return touched.flatMap(([minute, found]) =>
    within.ranges.map(({ startNs, endNs }) => ({
      rows: found,
      range: found.between(startNs, endNs),
      minute: hour * MINUTES_PER_HOUR + minute,
    })),
  )
}
