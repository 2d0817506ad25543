import { DEFAULT_APDEX_THRESHOLD_MS } from '../domain/apdex.ts'
import type { GridSettings } from './control-store.ts'

export const GRID_DEFAULTS: Readonly<Omit<GridSettings, 'name'>> = {
  plan: 'standard',
  subscriptionState: 'active',
  rawRetentionDays: 7,
  aggregateRetentionDays: 90,
  diskSharePercent: null,
  recordsFromMs: 0,
  rateLimitCaller: null,
  rateLimitGrid: null,
  ingestQuota: null,
  apdex: { defaultMs: DEFAULT_APDEX_THRESHOLD_MS, byService: {} },
}
