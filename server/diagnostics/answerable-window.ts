import type { TimeWindow } from '../domain/time-window.ts'
import { NS_PER_MINUTE } from './windows.ts'

/**
 * The window that can be answered. Spans are kept from `oldestRawNs` on; of what is older, only sums by the minute are
 * known, so an end of the window that lies there moves outward to a whole minute.
 */
export function answerableWindow({ startNs, endNs }: TimeWindow, oldestRawNs: bigint): TimeWindow {
  return {
    startNs: startNs < oldestRawNs ? minuteOf(startNs) : startNs,
    endNs: endNs < oldestRawNs ? minuteOf(endNs + NS_PER_MINUTE - 1n) : endNs,
  }
}

function minuteOf(ns: bigint): bigint {
  return ns - (ns % NS_PER_MINUTE)
}

const NS_PER_DAY = 86_400_000_000_000n

/** The moment from which on the spans of a Grid are kept. */
export function oldestRawNs(nowNs: bigint, rawRetentionDays: number): bigint {
  return nowNs - (BigInt(Math.round(rawRetentionDays * 1000)) * NS_PER_DAY) / 1000n
}
