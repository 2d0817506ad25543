const MS_PER_MINUTE = 60_000

/** A moment at which rules are judged. */
export interface Look {
  nowMs: number
  /** Before it nobody listened, so that the absence of telemetry says nothing. */
  hearingSinceMs: number
}

/** The same with what is known of the service that is judged. */
export interface ServiceLook extends Look {
  /** Whether it means something that nothing comes from it. */
  live: boolean
}

/** The minutes that lead up to a moment, numbered since the epoch. */
export interface Minutes {
  /** The one that is under way. */
  open: number
  /** The moment itself for 0, else the end of the last, the second to last whole minute, and so on. */
  timeMsAt(back: number): number
  /** So many whole minutes up to that moment, and for 0 the one that is under way as well. */
  windowAt(back: number, length: number): number[]
}

/** What is under way, and what is over, is told as of `asOfMs`; the moment 0 is still now. */
export function minutesOf(asOfMs: number, nowMs: number): Minutes {
  const open = Math.floor(asOfMs / MS_PER_MINUTE)
  return {
    open,
    timeMsAt: (back) => (back === 0 ? nowMs : (open - back + 1) * MS_PER_MINUTE),
    windowAt: (back, length) => Array.from({ length: back === 0 ? length + 1 : length }, (_, i) => open - back - i),
  }
}
