import type { TimeWindow } from '../../../domain/time-window.ts'
import { nsRangeOfHour } from '../layout.ts'
import { minuteRanges, NS_PER_MINUTE } from '../minute-ranges.ts'
import { CORRECTION, type Corrections } from './corrections.ts'
import type { GroupSums } from './group-sums.ts'
import { type LiveHour, minuteOfWord } from './live-hour.ts'
import type { LiveSpans } from './live-spans.ts'

const TWO_TO_32 = 4_294_967_296

/** A span as figures see it, or what corrects one: `n` is to be added up. */
export interface Figure {
  startNs: bigint
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

  /** Groups of a table of sums whose minutes lie in the window whole; `minuteNs` is told of each. */
  eachGroup(
    window: TimeWindow,
    sumsOf: (hour: LiveHour) => GroupSums,
    each: (sums: GroupSums, group: number, minuteNs: bigint) => void,
  ): void {
    for (const hour of this.hours) {
      const { whole } = minuteRanges(hour.hour, window)
      if (!whole) continue
      const sums = sumsOf(hour)
      const { firstNs } = nsRangeOfHour(hour.hour)
      for (let group = 0; group < sums.size; group++) {
        const minute = minuteOfWord(sums.key(group, 0))
        if (minute >= whole.first && minute < whole.end) each(sums, group, firstNs + BigInt(minute) * NS_PER_MINUTE)
      }
    }
  }

  /** Spans one by one, with the corrections that `correctionsOf` chooses: those at the ragged ends of a window, or in all of it. */
  eachSpan(
    window: TimeWindow,
    which: 'ragged' | 'all',
    correctionsOf: (hour: LiveHour) => Corrections,
    each: (figure: Figure, minuteNs: bigint) => void,
  ): void {
    for (const hour of this.hours) {
      const ranges = which === 'all' ? [window] : minuteRanges(hour.hour, window).ragged
      if (ranges.length === 0) continue
      const { firstNs, lastNs } = nsRangeOfHour(hour.hour)
      const isWhole = which === 'all' && window.startNs <= firstNs && window.endNs > lastNs
      const minutes = isWhole ? undefined : minutesOf(firstNs, ranges)
      const isIn = (figure: Figure) =>
        isWhole || ranges.some(({ startNs, endNs }) => figure.startNs >= startNs && figure.startNs < endNs)
      const tell = (figure: Figure) => {
        if (isIn(figure)) each(figure, firstNs + BigInt(figure.minute) * NS_PER_MINUTE)
      }
      this.spansOf(hour, minutes, tell)
      correctionsIn(correctionsOf(hour), firstNs, tell)
    }
  }

  private spansOf(hour: LiveHour, minutes: Uint8Array | undefined, tell: (figure: Figure) => void): void {
    const figure = emptyFigure()
    for (let i = 0; i < hour.spans; i++) {
      const { segment, row } = this.live.span(hour.ids[i] as number)
      const minute = segment.minute[row] as number
      if ((minutes && minutes[minute] === 0) || this.live.isCopy(segment, row)) continue
      figure.minute = minute
      setTimes(figure, segment.startHalves, segment.durationHalves, row * 2)
      figure.service = segment.service[row] as number
      figure.operation = segment.operation[row] as number
      figure.origin = segment.origin[row] as number
      figure.called = segment.called[row] as number
      figure.dependency = segment.dependency[row] as number
      figure.callee = segment.ownCallee[row] as number
      figure.kind = segment.kind[row] as number
      figure.status = segment.status[row] as number
      figure.role = segment.ownRole[row] as number
      tell(figure)
    }
  }
}

function correctionsIn(corrections: Corrections, hourNs: bigint, tell: (figure: Figure) => void): void {
  const figure = emptyFigure()
  for (let row = 0; row < corrections.size; row++) {
    const start = [corrections.word(row, CORRECTION.startLow), corrections.word(row, CORRECTION.startHigh)]
    const duration = [corrections.word(row, CORRECTION.durationLow), corrections.word(row, CORRECTION.durationHigh)]
    setTimes(figure, start, duration, 0)
    figure.minute = Number((figure.startNs - hourNs) / NS_PER_MINUTE)
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
    tell(figure)
  }
}

function setTimes(figure: Figure, start: ArrayLike<number>, duration: ArrayLike<number>, at: number): void {
  figure.startNs = (BigInt((start[at + 1] as number) | 0) << 32n) | BigInt(start[at] as number)
  figure.low = duration[at] as number
  figure.high = duration[at + 1] as number
  figure.durationNs = figure.high * TWO_TO_32 + figure.low
}

/** Which minutes of an hour some ranges touch. */
function minutesOf(hourNs: bigint, ranges: TimeWindow[]): Uint8Array {
  const minutes = new Uint8Array(60)
  for (let minute = 0; minute < 60; minute++) {
    const startNs = hourNs + BigInt(minute) * NS_PER_MINUTE
    if (ranges.some((range) => range.startNs < startNs + NS_PER_MINUTE && range.endNs > startNs)) minutes[minute] = 1
  }
  return minutes
}

function emptyFigure(): Figure {
  return {
    startNs: 0n,
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
