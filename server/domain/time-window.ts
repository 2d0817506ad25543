/** Half open, `[startNs, endNs)`, in nanoseconds since the epoch. */
export interface TimeWindow {
  startNs: bigint
  endNs: bigint
}

export const NS_PER_MS = 1_000_000n
export const NS_PER_HOUR = 3_600_000_000_000n

export function windowOfMs(startMs: number, endMs: number): TimeWindow {
  return { startNs: BigInt(startMs) * NS_PER_MS, endNs: BigInt(endMs) * NS_PER_MS }
}

/** UTC, with milliseconds: the form of every datetime in an answer. */
export function isoOfNs(ns: bigint): string {
  return new Date(Number(ns / NS_PER_MS)).toISOString()
}
