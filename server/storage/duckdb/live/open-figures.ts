import type { TimeWindow } from '../../../domain/time-window.ts'
import { nsRangeOfHour } from '../layout.ts'
import { minuteRanges } from '../minute-ranges.ts'
import { CORRECTION, type Corrections } from './corrections.ts'
import type { GroupSums } from './group-sums.ts'
import { type LiveHour, minuteOfWord } from './live-hour.ts'
import type { LiveSpans } from './live-spans.ts'
import { rowOf } from './span-ring.ts'

const TWO_TO_32 = 4_294_967_296
const MINUTES_PER_HOUR = 60
const NS_PER_MINUTE_AS_NUMBER = 60_000_000_000

/** A span as figures see it, or what corrects one: `n` is to be added up. */
export interface Figure {
  /** Since the hour began. */
  intoHourNs: number
  /** Since the epoch. */
  minute: number
  low: number
  high: number
  durationNs: number
  service: number
  operation: number
  origin: number
  called: number
  dependency: number
  callee: number
  kind: number
  status: number
  role: number
  n: number
}

/** What is not sealed yet of a Grid, as one question sees it. */
export class OpenFigures {
  readonly live: LiveSpans
  readonly hours: LiveHour[]

  constructor(live: LiveSpans, hours: LiveHour[]) {
    this.live = live
    this.hours = hours
  }

  /** Groups of a table of sums whose minutes lie in the window whole; `minute` is the one since the epoch. */
  eachGroup(
    window: TimeWindow,
    sumsOf: (hour: LiveHour) => GroupSums,
    each: (sums: GroupSums, group: number, minute: number) => void,
  ): void {
    for (const hour of this.hours) {
      const { whole } = minuteRanges(hour.hour, window)
      if (!whole) continue
      const sums = sumsOf(hour)
      for (let group = 0; group < sums.size; group++) {
        const minute = minuteOfWord(sums.key(group, 0))
        if (minute >= whole.first && minute < whole.end) each(sums, group, hour.hour * MINUTES_PER_HOUR + minute)
      }
    }
  }

  /**
   * Spans one by one, with the corrections that `correctionsOf` chooses: those at the ragged ends of a window, or in all of it.
   * The figure that is told is filled anew for each.
   */
  eachSpan(
    window: TimeWindow,
    which: 'ragged' | 'all',
    correctionsOf: (hour: LiveHour) => Corrections,
    each: (figure: Figure) => void,
  ): void {
    for (const hour of this.hours) {
      const ranges = which === 'all' ? [window] : minuteRanges(hour.hour, window).ragged
      if (ranges.length === 0) continue
      const within = new WithinHour(hour.hour, ranges)
      this.spansOf(hour, within, each)
      correctionsIn(correctionsOf(hour), hour.hour, within, each)
    }
  }

  private spansOf(hour: LiveHour, within: WithinHour, each: (figure: Figure) => void): void {
    const figure = emptyFigure()
    const firstMinute = hour.hour * MINUTES_PER_HOUR
    for (let i = 0; i < hour.spans; i++) {
      const id = hour.ids[i] as number
      const segment = this.live.segmentOf(id)
      const row = rowOf(id)
      const minute = segment.minute[row] as number
      if (within.minutes[minute] === 0) continue
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

/** Some ranges of an hour, in numbers that need no big integers. */
class WithinHour {
  /** 1 for the minutes that the ranges touch. */
  readonly minutes = new Uint8Array(MINUTES_PER_HOUR)
  readonly hourLow: number
  readonly hourHigh: number
  private readonly ranges: { startNs: number; endNs: number }[]

  constructor(hour: number, ranges: TimeWindow[]) {
    const { firstNs, lastNs } = nsRangeOfHour(hour)
    this.hourLow = Number(BigInt.asUintN(32, firstNs))
    this.hourHigh = Number(firstNs >> 32n)
    const within = (ns: bigint) => Number((ns < firstNs ? firstNs : ns > lastNs ? lastNs + 1n : ns) - firstNs)
    this.ranges = ranges.map(({ startNs, endNs }) => ({ startNs: within(startNs), endNs: within(endNs) }))
    for (let minute = 0; minute < MINUTES_PER_HOUR; minute++) {
      const startNs = minute * NS_PER_MINUTE_AS_NUMBER
      const isTouched = this.ranges.some(
        (range) => range.startNs < startNs + NS_PER_MINUTE_AS_NUMBER && range.endNs > startNs,
      )
      if (isTouched) this.minutes[minute] = 1
    }
  }

  has(intoHourNs: number): boolean {
    for (const { startNs, endNs } of this.ranges) if (intoHourNs >= startNs && intoHourNs < endNs) return true
    return false
  }
}

function correctionsIn(
  corrections: Corrections,
  hour: number,
  within: WithinHour,
  each: (figure: Figure) => void,
): void {
  const figure = emptyFigure()
  for (let row = 0; row < corrections.size; row++) {
    const start = [corrections.word(row, CORRECTION.startLow), corrections.word(row, CORRECTION.startHigh)]
    const duration = [corrections.word(row, CORRECTION.durationLow), corrections.word(row, CORRECTION.durationHigh)]
    setTimes(figure, within, start, duration, 0)
    if (!within.has(figure.intoHourNs)) continue
    figure.minute = hour * MINUTES_PER_HOUR + Math.floor(figure.intoHourNs / NS_PER_MINUTE_AS_NUMBER)
    figure.service = corrections.word(row, CORRECTION.service)
    figure.operation = corrections.word(row, CORRECTION.operation)
    figure.origin = corrections.word(row, CORRECTION.origin)
    figure.called = corrections.word(row, CORRECTION.called)
    figure.dependency = corrections.word(row, CORRECTION.dependency)
    figure.callee = corrections.word(row, CORRECTION.callee)
    figure.kind = corrections.kind(row)
    figure.status = corrections.status(row)
    figure.role = corrections.role(row)
    figure.n = corrections.n(row)
    each(figure)
  }
}

function setTimes(
  figure: Figure,
  { hourHigh, hourLow }: WithinHour,
  start: ArrayLike<number>,
  duration: ArrayLike<number>,
  at: number,
): void {
  figure.intoHourNs = (((start[at + 1] as number) | 0) - hourHigh) * TWO_TO_32 + ((start[at] as number) - hourLow)
  figure.low = duration[at] as number
  figure.high = duration[at + 1] as number
  figure.durationNs = figure.high * TWO_TO_32 + figure.low
}

function emptyFigure(): Figure {
  return {
    intoHourNs: 0,
    minute: 0,
    low: 0,
    high: 0,
    durationNs: 0,
    service: 0,
    operation: 0,
    origin: 0,
    called: 0,
    dependency: 0,
    callee: 0,
    kind: 0,
    status: 0,
    role: 0,
    n: 1,
  }
}
