import { NS_PER_HOUR, type TimeWindow } from '../../../domain/time-window.ts'
import type { HourFile } from '../files/hour-file.ts'
import { nsRangeOfHour } from '../layout.ts'
import { isClosed } from '../upkeep/compactor.ts'

/** Hour files of a Grid, and the hours of which something is not sealed yet. */
export interface GridHours {
  files: HourFile[]
  open: Set<number>
}

/** Hours of which the window has all, no more is expected, and nothing is unsealed; ascending. */
export function settledHours({ files, open }: GridHours, window: TimeWindow): HourFile[] {
  const nowMs = Date.now()
  const isSettled = ({ hour }: HourFile) => {
    const { firstNs, lastNs } = nsRangeOfHour(hour)
    return firstNs >= window.startNs && lastNs < window.endNs && isClosed(hour, nowMs) && !open.has(hour)
  }
  return files.filter(isSettled).sort((a, b) => a.hour - b.hour)
}

/** What is left of the window without these hours, which ascend. */
export function windowsBetween(files: HourFile[], { startNs, endNs }: TimeWindow): TimeWindow[] {
  const windows: TimeWindow[] = []
  let fromNs = startNs
  for (const { hour } of files) {
    const { firstNs } = nsRangeOfHour(hour)
    if (fromNs < firstNs) windows.push({ startNs: fromNs, endNs: firstNs })
    fromNs = firstNs + NS_PER_HOUR
  }
  return fromNs < endNs ? [...windows, { startNs: fromNs, endNs }] : windows
}
