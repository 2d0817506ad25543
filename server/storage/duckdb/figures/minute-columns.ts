import type { TimeWindow } from '../../../domain/time-window.ts'
import type { MinuteFigures } from '../../diagnostics-reader.ts'
import { NS_PER_MINUTE } from '../scope/minute-ranges.ts'

const COLUMNS = 4

/** Figures of many series by minute, in one piece of memory: that travels between threads at one go. */
export class MinuteColumns {
  private readonly firstMinute: number
  private readonly length: number
  private readonly values: Float64Array

  constructor({ startNs, endNs }: TimeWindow, series: number) {
    this.firstMinute = minuteNumber(startNs)
    this.length = startNs < endNs ? minuteNumber(endNs - 1n) + 1 - this.firstMinute : 0
    this.values = new Float64Array(series * COLUMNS * this.length)
  }

  /** Adds to the figures of a minute, which is counted since the epoch; `own` are what only this sort of series has. */
  add(series: number, minute: number, requests: number, errors: number, durationMs: number, own: number): void {
    const { values, length } = this
    const at = series * COLUMNS * length + (minute - this.firstMinute)
    values[at] = (values[at] as number) + requests
    values[at + length] = (values[at + length] as number) + errors
    values[at + 2 * length] = (values[at + 2 * length] as number) + durationMs
    values[at + 3 * length] = (values[at + 3 * length] as number) + own
  }

  figures(series: number): MinuteFigures {
    return { requests: this.column(series, 0), errors: this.column(series, 1), durationMs: this.column(series, 2) }
  }

  own(series: number): Float64Array {
    return this.column(series, 3)
  }

  private column(series: number, column: number): Float64Array {
    const at = (series * COLUMNS + column) * this.length
    return this.values.subarray(at, at + this.length)
  }
}

/** Counted since the epoch. */
function minuteNumber(ns: bigint): number {
  const minute = Number(ns / NS_PER_MINUTE)
  return ns < 0n && ns % NS_PER_MINUTE !== 0n ? minute - 1 : minute
}
