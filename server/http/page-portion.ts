import type { Portion } from '../storage/telemetry-store.ts'

export function portionOf(page: number, pageSize: number): Portion {
  return { offset: Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER), limit: pageSize }
}
