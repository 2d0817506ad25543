import type { TimeWindow } from '../domain/time-window.ts'

export const NS_PER_MINUTE = 60_000_000_000n

const DEFAULT_WINDOW_MINUTES = 15
const BASELINE_MINUTES = 60n

export interface Windows {
  current: TimeWindow
  /** Always the hour before the current window. */
  baseline: TimeWindow
}

export function windowsAt(atNs: bigint, windowMinutes = DEFAULT_WINDOW_MINUTES): Windows {
  const startNs = atNs - BigInt(windowMinutes) * NS_PER_MINUTE
  return {
    current: { startNs, endNs: atNs },
    baseline: { startNs: startNs - BASELINE_MINUTES * NS_PER_MINUTE, endNs: startNs },
  }
}
