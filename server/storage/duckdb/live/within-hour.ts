import type { TimeWindow } from '../../../domain/time-window.ts'
import { nsRangeOfHour } from '../layout.ts'

const MINUTES_PER_HOUR = 60
const NS_PER_MINUTE_AS_NUMBER = 60_000_000_000

/** Some ranges of an hour, in numbers that need no big integers. */
export class WithinHour {
  /** 1 for the minutes that the ranges touch. */
  readonly minutes = new Uint8Array(MINUTES_PER_HOUR)
  readonly hourLow: number
  readonly hourHigh: number
  /** Since the hour began. */
  readonly ranges: { startNs: number; endNs: number }[]

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
