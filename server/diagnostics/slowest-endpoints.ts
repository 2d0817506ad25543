import { percentileMs } from '../domain/latencies.ts'
import type { RequestGroup } from '../storage/diagnostics-reader.ts'
import { byName } from './by-name.ts'
import { figuresOf } from './request-figures.ts'
import { rounded } from './rounding.ts'

export interface SlowEndpoint {
  /** 1 is the slowest. */
  rank: number
  serviceName: string
  operation: string
  avgLatencyMs: number
  p95LatencyMs: number
  p99LatencyMs: number
  requestCount: number
  errorRate: number
}

const ENDPOINTS_MAX = 20
/** With fewer requests than this, an endpoint comes after all others. */
const ENOUGH_REQUESTS = 5

/** The slowest by their 99th percentile. The groups are those of SERVER requests, by service and operation. */
export function slowestEndpoints(groups: RequestGroup[]): SlowEndpoint[] {
  return groups
    .map((group) => ({ group, ...figuresOf(group), p99: percentileMs(group.latencies, 99) }))
    .sort(
      (a, b) =>
        Number(isRare(a)) - Number(isRare(b)) ||
        b.p99 - a.p99 ||
        b.avgLatencyMs - a.avgLatencyMs ||
        byName(a.group.serviceName, b.group.serviceName) ||
        byName(a.group.operationName, b.group.operationName),
    )
    .slice(0, ENDPOINTS_MAX)
    .map(({ group, p99, avgLatencyMs, requestCount, errorRate }, index) => ({
      rank: index + 1,
      serviceName: group.serviceName,
      operation: group.operationName,
      avgLatencyMs: rounded(avgLatencyMs),
      p95LatencyMs: rounded(percentileMs(group.latencies, 95)),
      p99LatencyMs: rounded(p99),
      requestCount,
      errorRate: rounded(errorRate),
    }))
}

function isRare({ requestCount }: { requestCount: number }): boolean {
  return requestCount < ENOUGH_REQUESTS
}
