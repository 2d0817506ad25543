import { NS_PER_MS } from '../../../domain/time-window.ts'
import { DAY_MINUTES } from '../../schemas/diagnostics/day.ts'
import { momentOf } from './moment.ts'

interface RecentRange {
  startMs: number
  endMs: number
  /** The moment that is asked about. */
  atNs: bigint
}

/** The day, or other window, before the moment that is asked about. */
export function recentRange(
  { at, window = DAY_MINUTES }: { at?: string | undefined; window?: number | undefined },
  nowMs: number,
): RecentRange {
  const { atNs, current } = momentOf({ at, window }, nowMs)
  return { startMs: firstMsFrom(current.startNs), endMs: firstMsFrom(current.endNs), atNs }
}

/** Events are recorded in whole milliseconds. */
function firstMsFrom(ns: bigint): number {
  return Number((ns + NS_PER_MS - 1n) / NS_PER_MS)
}
