import { minutesOf, type TimeWindow } from '../../../domain/time-window.ts'
import type { MinuteFigures } from '../../diagnostics-reader.ts'
import { NS_PER_MINUTE } from '../scope/minute-ranges.ts'

const COLUMNS = 4

/** Figures of many series by minute, in one piece of memory: that travels between threads at one go. */
export class MinuteColumns {
  private readonly firstMinute: number
  private readonly length: number
  private readonly values: Float64Array

  constructor(window: TimeWindow, series: number) {
    const { startNs, count } = minutesOf(window)
    this.firstMinute = Number(startNs / NS_PER_MINUTE)
    this.length = count
    this.values = new Float64Array(series * COLUMNS * this.length)
  }

  /** Adds to the figures of a minute, which is counted since the epoch; `own` are what only this sort of series has. */
  add(series: number, minute: number, requests: number, errors: number, durationNs: number, own: number): void {
    const { values, length } = this
    const at = series * COLUMNS * length + (minute - this.firstMinute)
    values[at] = (values[at] as number) + requests
    values[at + length] = (values[at + length] as number) + errors
    values[at + 2 * length] = (values[at + 2 * length] as number) + durationNs
    values[at + 3 * length] = (values[at + 3 * length] as number) + own
  }

  /** To be called once for each series, when all is added: nanoseconds add up without rounding. */
  figures(series: number): MinuteFigures {
    const durationMs = this.column(series, 2)
    for (let i = 0; i < durationMs.length; i++) durationMs[i] = (durationMs[i] as number) / 1e6
    return { requests: this.column(series, 0), errors: this.column(series, 1), durationMs }
  }

  own(series: number): Float64Array {
    return this.column(series, 3)
  }

  private column(series: number, column: number): Float64Array {
    const at = (series * COLUMNS + column) * this.length
    return this.values.subarray(at, at + this.length)
  }
}
