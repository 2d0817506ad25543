import { CORRECTION, type Corrections } from './corrections.ts'
import type { WithinHour } from './within-hour.ts'

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

/** What corrects spans that began then. The figure that is told is filled anew for each. */
export function correctionsIn(
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

export function setTimes(
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

export function emptyFigure(): Figure {
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
