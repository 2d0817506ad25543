import { NS_PER_MS, type TimeWindow } from '../domain/time-window.ts'
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

/** How long records of a Grid are kept, and from when on they are, where some had to make room. */
export interface RecordsKept {
  rawRetentionDays: number
  recordsFromMs: number
}

/** The moment from which on the records of a Grid are kept. */
export function oldestRawNs(nowNs: bigint, { rawRetentionDays, recordsFromMs }: RecordsKept): bigint {
  const byAge = nowNs - (BigInt(Math.round(rawRetentionDays * 1000)) * NS_PER_DAY) / 1000n
  const byRoom = BigInt(recordsFromMs) * NS_PER_MS
  return byAge > byRoom ? byAge : byRoom
}
