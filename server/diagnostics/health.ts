import { apdexOf } from '../domain/apdex.ts'
import { rounded } from './rounding.ts'

/** Worst first. A service that fell silent, for a reason nobody knows, is worse than one that is seen to be well. */
export const HEALTH_STATUSES = ['unhealthy', 'degraded', 'unknown', 'healthy'] as const
export type HealthStatus = (typeof HEALTH_STATUSES)[number]

export interface ServiceHealth {
  serviceName: string
  status: HealthStatus
  /** Percent. */
  errorRate: number
  apdex: number
  requestCount: number
  avgLatencyMs: number
}

interface ServiceRequests {
  serviceName: string
  requestCount: number
  errorCount: number
  durationNsSum: bigint
  satisfiedCount: number
  toleratingCount: number
}

interface UnansweredCalls {
  serviceName: string
  failedCount: number
}

export interface Health {
  overallStatus: HealthStatus
  services: ServiceHealth[]
}

export interface HealthFacts {
  current: ServiceRequests[]
  baseline: ServiceRequests[]
  /** In the current window. */
  unanswered: UnansweredCalls[]
}

const UNHEALTHY = { errorRate: 25, apdex: 0.5 }
const DEGRADED = { errorRate: 5, apdex: 0.7 }
/** With fewer requests than this, nothing is called worse than degraded. */
const ENOUGH_REQUESTS = 5

export function healthOverview({ current, baseline, unanswered }: HealthFacts): Health {
  const asked = current.filter(({ requestCount }) => requestCount > 0)
  const heard = new Set(asked.map(({ serviceName }) => serviceName))
  const unreached = new Set(
    unanswered.filter(({ failedCount }) => failedCount > 0).map(({ serviceName }) => serviceName),
  )
  const silent = baseline.filter(({ serviceName, requestCount }) => requestCount > 0 && !heard.has(serviceName))
  const services = [
    ...asked.map(healthOf),
    ...silent.map(({ serviceName }) => silentHealth(serviceName, unreached.has(serviceName))),
  ].sort(worstFirst)
  return { overallStatus: services[0]?.status ?? 'unknown', services }
}

function healthOf(requests: ServiceRequests): ServiceHealth {
  const { serviceName, requestCount, errorCount, satisfiedCount, toleratingCount, durationNsSum } = requests
  const errorRate = (errorCount / requestCount) * 100
  const apdex = apdexOf(satisfiedCount, toleratingCount, requestCount)
  return {
    serviceName,
    status: statusOf(errorRate, apdex, requestCount),
    errorRate: rounded(errorRate),
    apdex: rounded(apdex),
    requestCount,
    avgLatencyMs: rounded(Number(durationNsSum) / requestCount / 1_000_000),
  }
}

function statusOf(errorRate: number, apdex: number, requestCount: number): HealthStatus {
  if (errorRate >= UNHEALTHY.errorRate || apdex < UNHEALTHY.apdex) {
    return requestCount < ENOUGH_REQUESTS ? 'degraded' : 'unhealthy'
  }
  return errorRate >= DEGRADED.errorRate || apdex < DEGRADED.apdex ? 'degraded' : 'healthy'
}

/** Of a service that the baseline knows and that nobody heard of since. */
function silentHealth(serviceName: string, unreached: boolean): ServiceHealth {
  const status = unreached ? 'unhealthy' : 'unknown'
  return { serviceName, status, errorRate: 0, apdex: apdexOf(0, 0, 0), requestCount: 0, avgLatencyMs: 0 }
}

function worstFirst(a: ServiceHealth, b: ServiceHealth): number {
  return (
    HEALTH_STATUSES.indexOf(a.status) - HEALTH_STATUSES.indexOf(b.status) ||
    b.requestCount - a.requestCount ||
    (a.serviceName < b.serviceName ? -1 : 1)
  )
}
