import type { SpanKind } from '../domain/span.ts'
import type { Edge, RequestGroup, ServiceSpans } from '../storage/diagnostics-reader.ts'
import { byName } from './by-name.ts'
import { groupedBy } from './grouped-by.ts'
import { callFiguresOf, sumOfCalls } from './request-figures.ts'
import { rounded } from './rounding.ts'

/** In the order in which they win where a service has as many of one as of another. */
export const SERVICE_TYPES = ['SERVER', 'CONSUMER', 'CLIENT', 'INTERNAL'] as const
export type ServiceType = (typeof SERVICE_TYPES)[number]

export interface DependencyMap {
  services: { name: string; type: ServiceType; requestCount: number; errorRate: number }[]
  edges: { source: string; target: string; requestCount: number; errorRate: number; avgLatencyMs: number }[]
}

export interface MapFacts {
  /** Who sent spans at all. */
  serviceSpans: ServiceSpans[]
  /** By service and kind. */
  requests: Omit<RequestGroup, 'latencies'>[]
  edges: Edge[]
}

/** Services that sent spans, and who calls whom; both most used first. */
export function dependencyMap({ serviceSpans, requests, edges }: MapFacts): DependencyMap {
  const spansByService = groupedBy(serviceSpans, ({ serviceName }) => serviceName)
  const requestsByService = groupedBy(requests, ({ serviceName }) => serviceName)
  const services = [...spansByService].map(([name, spans]) => {
    const own = requestsByService.get(name) ?? []
    const { requestCount, errorRate } = callFiguresOf(sumOfCalls(own))
    const counts: KindCount[] = own.length > 0 ? own.map(requestKinds) : spans.map(spanKinds)
    return { name, type: typeOf(counts), requestCount, errorRate: rounded(errorRate) }
  })
  return {
    services: services.sort((a, b) => b.requestCount - a.requestCount || byName(a.name, b.name)),
    edges: mapEdges(edges),
  }
}

function mapEdges(edges: Edge[]): DependencyMap['edges'] {
  const pairs = groupedBy(edges, ({ sourceName, targetName }) => JSON.stringify([sourceName, targetName]))
  return [...pairs.values()]
    .map((calls) => {
      const { sourceName: source, targetName: target } = calls[0] as Edge
      const { requestCount, errorRate, avgLatencyMs } = callFiguresOf(sumOfCalls(calls))
      return { source, target, requestCount, errorRate: rounded(errorRate), avgLatencyMs: rounded(avgLatencyMs) }
    })
    .sort((a, b) => b.requestCount - a.requestCount || byName(a.source, b.source) || byName(a.target, b.target))
}

interface KindCount {
  kind: SpanKind
  count: number
}

function requestKinds({ kind, requestCount }: MapFacts['requests'][number]): KindCount {
  return { kind, count: requestCount }
}

function spanKinds({ kind, spanCount }: ServiceSpans): KindCount {
  return { kind, count: spanCount }
}

/** The kind that most have. Sending a message is calling somebody. */
function typeOf(counts: KindCount[]): ServiceType {
  const countOf = (type: ServiceType) =>
    counts
      .filter(({ kind }) => (kind === 'PRODUCER' ? 'CLIENT' : kind) === type)
      .reduce((sum, { count }) => sum + count, 0)
  return SERVICE_TYPES.reduce((most, type) => (countOf(type) > countOf(most) ? type : most))
}
