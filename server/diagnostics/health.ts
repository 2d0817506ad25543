import type { Edge, RequestSums } from '../storage/diagnostics-reader.ts'
import { byName } from './by-name.ts'
import { HEALTH_STATUSES, type HealthStatus, silentStatus, statusOf, unreachedTargets } from './health-status.ts'
import { figuresOf, type RequestFigures } from './request-figures.ts'
import { rounded } from './rounding.ts'

export interface ServiceHealth extends RequestFigures {
  serviceName: string
  status: HealthStatus
}

export interface Health {
  overallStatus: HealthStatus
  services: ServiceHealth[]
}

interface ServiceRequests extends RequestSums {
  serviceName: string
}

export interface HealthFacts {
  current: ServiceRequests[]
  baseline: ServiceRequests[]
  /** In the current window. */
  edges: Pick<Edge, 'targetName' | 'unansweredErrorCount'>[]
}

/** Every service of the current window and every one that fell silent since the baseline, worst first. */
export function healthOverview({ current, baseline, edges }: HealthFacts): Health {
  const heard = new Set(current.map(({ serviceName }) => serviceName))
  const silent = baseline.filter(({ serviceName }) => !heard.has(serviceName))
  const unreached = unreachedTargets(edges)
  const services = [
    ...current.map(healthOf),
    ...silent.map(({ serviceName }) => silentHealth(serviceName, unreached)),
  ].sort(worstFirst)
  return { overallStatus: services[0]?.status ?? 'unknown', services }
}

function healthOf({ serviceName, ...sums }: ServiceRequests): ServiceHealth {
  const figures = figuresOf(sums)
  return {
    serviceName,
    status: statusOf(figures),
    errorRate: rounded(figures.errorRate),
    apdex: rounded(figures.apdex),
    requestCount: figures.requestCount,
    avgLatencyMs: rounded(figures.avgLatencyMs),
  }
}

function silentHealth(serviceName: string, unreached: Set<string>): ServiceHealth {
  const status = silentStatus(serviceName, unreached)
  return { serviceName, status, errorRate: 0, apdex: 1, requestCount: 0, avgLatencyMs: 0 }
}

function worstFirst(a: ServiceHealth, b: ServiceHealth): number {
  return (
    HEALTH_STATUSES.indexOf(a.status) - HEALTH_STATUSES.indexOf(b.status) ||
    b.requestCount - a.requestCount ||
    byName(a.serviceName, b.serviceName)
  )
}
