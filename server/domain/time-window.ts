/** Half open, `[startNs, endNs)`, in nanoseconds since the epoch. */
export interface TimeWindow {
  startNs: bigint
  endNs: bigint
}

export const NS_PER_MS = 1_000_000n
const NS_PER_MINUTE = 60_000_000_000n
export const NS_PER_HOUR = 3_600_000_000_000n

export function windowOfMs(startMs: number, endMs: number): TimeWindow {
  return { startNs: BigInt(startMs) * NS_PER_MS, endNs: BigInt(endMs) * NS_PER_MS }
}

/** The whole minutes that a window touches: where the first of them begins, before the epoch too, and how many there are. */
export function minutesOf({ startNs, endNs }: TimeWindow): { startNs: bigint; count: number } {
  const firstNs = startNs - (((startNs % NS_PER_MINUTE) + NS_PER_MINUTE) % NS_PER_MINUTE)
  const count = Number((endNs - firstNs + NS_PER_MINUTE - 1n) / NS_PER_MINUTE)
  return { startNs: firstNs, count: endNs > startNs ? count : 0 }
}

/** UTC, with milliseconds: the form of every datetime in an answer. */
export function isoOfNs(ns: bigint): string {
  return new Date(Number(ns / NS_PER_MS)).toISOString()
}
