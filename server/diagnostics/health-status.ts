import type { Edge } from '../storage/diagnostics-reader.ts'
import type { RequestFigures } from './request-figures.ts'

/** Worst first. A service that fell silent, for a reason nobody knows, is worse than one that is seen to be well. */
export const HEALTH_STATUSES = ['unhealthy', 'degraded', 'unknown', 'healthy'] as const
export type HealthStatus = (typeof HEALTH_STATUSES)[number]

const UNHEALTHY = { errorRate: 25, apdex: 0.5 }
const DEGRADED = { errorRate: 5, apdex: 0.7 }
/** With fewer requests than this, nothing is called worse than degraded. */
const ENOUGH_REQUESTS = 5

/** Of something that was asked at least once. */
export function statusOf({ errorRate, apdex, requestCount }: Omit<RequestFigures, 'avgLatencyMs'>): HealthStatus {
  if (errorRate >= UNHEALTHY.errorRate || apdex < UNHEALTHY.apdex) {
    return requestCount < ENOUGH_REQUESTS ? 'degraded' : 'unhealthy'
  }
  return errorRate >= DEGRADED.errorRate || apdex < DEGRADED.apdex ? 'degraded' : 'healthy'
}

/** Of a service that had no requests. */
export function silentStatus(serviceName: string, unreached: Set<string>): HealthStatus {
  return unreached.has(serviceName) ? 'unhealthy' : 'unknown'
}

/** Those that somebody called in vain. */
export function unreachedTargets(edges: Pick<Edge, 'targetName' | 'unansweredErrorCount'>[]): Set<string> {
  return new Set(edges.filter((edge) => edge.unansweredErrorCount > 0).map((edge) => edge.targetName))
}
