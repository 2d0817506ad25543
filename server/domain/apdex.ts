/** T of the Apdex formula: what a Grid calls fast enough, and services that it judges otherwise. */
export interface ApdexThresholds {
  defaultMs: number
  byService: Record<string, number>
}

export const DEFAULT_APDEX_THRESHOLD_MS = 500
export const DEFAULT_APDEX: ApdexThresholds = { defaultMs: DEFAULT_APDEX_THRESHOLD_MS, byService: {} }

/** 1 where nobody asked anything: no one was left waiting. */
export function apdexOf(satisfied: number, tolerating: number, total: number): number {
  return total === 0 ? 1 : (satisfied + tolerating / 2) / total
}

export function thresholdMsOf({ defaultMs, byService }: ApdexThresholds, serviceName: string): number {
  return Object.hasOwn(byService, serviceName) ? (byService[serviceName] as number) : defaultMs
}
