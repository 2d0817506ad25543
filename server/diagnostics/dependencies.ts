import { type ApdexThresholds, apdexOf } from '../domain/apdex.ts'
import type { Edge } from '../storage/diagnostics-reader.ts'
import { byName } from './by-name.ts'
import { groupedBy } from './grouped-by.ts'
import { type HealthStatus, statusOf } from './health-status.ts'
import { callFiguresOf, type RequestFigures, sumOfCalls } from './request-figures.ts'
import { rounded } from './rounding.ts'

export interface Dependency {
  name: string
  status: HealthStatus
  errorRate: number
  avgLatencyMs: number
}

/** What one service calls, as it saw its calls: most used first. The edges are those from it. */
export function dependenciesOf(edges: Edge[], thresholds: ApdexThresholds): Dependency[] {
  return [...groupedBy(edges, ({ targetName }) => targetName)]
    .map(([name, calls]) => ({ name, ...callFiguresOf(sumOfCalls(calls)) }))
    .sort((a, b) => b.requestCount - a.requestCount || byName(a.name, b.name))
    .map(({ name, ...figures }) => ({
      name,
      status: statusOf({ ...figures, apdex: apdexOfCalls(figures, thresholdMs(name, thresholds)) }),
      errorRate: rounded(figures.errorRate),
      avgLatencyMs: rounded(figures.avgLatencyMs),
    }))
}

/** Of calls only the average is known. It stands for each call that did not fail. */
function apdexOfCalls(figures: Omit<RequestFigures, 'apdex'>, thresholdMs: number): number {
  const answered = figures.requestCount * (1 - figures.errorRate / 100)
  if (figures.avgLatencyMs <= thresholdMs) return apdexOf(answered, 0, figures.requestCount)
  return figures.avgLatencyMs <= 4 * thresholdMs
    ? apdexOf(0, answered, figures.requestCount)
    : apdexOf(0, 0, figures.requestCount)
}

function thresholdMs(serviceName: string, { defaultMs, byService }: ApdexThresholds): number {
  return Object.hasOwn(byService, serviceName) ? (byService[serviceName] as number) : defaultMs
}
