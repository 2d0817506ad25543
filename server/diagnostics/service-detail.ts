import type { ApdexThresholds } from '../domain/apdex.ts'
import type { Failures } from '../domain/failures.ts'
import { percentileMs } from '../domain/latencies.ts'
import type { Edge, RequestGroup } from '../storage/diagnostics-reader.ts'
import { byName } from './by-name.ts'
import { type Dependency, dependenciesOf } from './dependencies.ts'
import { type HealthStatus, silentStatus, statusOf, unreachedTargets } from './health-status.ts'
import { figuresOf, sumOfRequests } from './request-figures.ts'
import { rounded } from './rounding.ts'
import { type TopError, topErrors } from './top-errors.ts'

export interface ServiceEndpoint {
  operation: string
  requestCount: number
  errorRate: number
  avgLatencyMs: number
  p95LatencyMs: number
}

export interface ServiceDetail {
  serviceName: string
  status: HealthStatus
  apdex: number
  errorRate: number
  requestCount: number
  endpoints: ServiceEndpoint[]
  topErrors: TopError[]
  dependencies: Dependency[]
}

export interface ServiceFacts {
  serviceName: string
  /** The service's own, by operation. */
  requests: RequestGroup[]
  /** Of every service. */
  edges: Edge[]
  /** The service's own. */
  failures: Failures
  apdex: ApdexThresholds
}

const ENDPOINTS_MAX = 100

/** Everything about one service in one window. */
export function serviceDetail({ serviceName, requests, edges, failures, apdex }: ServiceFacts): ServiceDetail {
  const figures = figuresOf(sumOfRequests(requests))
  const { requestCount } = figures
  return {
    serviceName,
    status: requestCount > 0 ? statusOf(figures) : silentStatus(serviceName, unreachedTargets(edges)),
    apdex: rounded(figures.apdex),
    errorRate: rounded(figures.errorRate),
    requestCount,
    endpoints: endpointsOf(requests),
    topErrors: topErrors(failures),
    dependencies: dependenciesOf(
      edges.filter(({ sourceName }) => sourceName === serviceName),
      apdex,
    ),
  }
}

/** Most used first. */
function endpointsOf(requests: RequestGroup[]): ServiceEndpoint[] {
  return requests
    .toSorted((a, b) => b.requestCount - a.requestCount || byName(a.operationName, b.operationName))
    .slice(0, ENDPOINTS_MAX)
    .map((group) => {
      const { requestCount, errorRate, avgLatencyMs } = figuresOf(group)
      return {
        operation: group.operationName,
        requestCount,
        errorRate: rounded(errorRate),
        avgLatencyMs: rounded(avgLatencyMs),
        p95LatencyMs: rounded(percentileMs(group.latencies, 95)),
      }
    })
}
