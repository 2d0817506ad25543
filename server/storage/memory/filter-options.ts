import type { Span, SpanStatus } from '../../domain/span.ts'
import type { TraceFilterOptions } from '../telemetry-store.ts'
import { ascending } from './ascending.ts'

const STATUSES: readonly SpanStatus[] = ['OK', 'ERROR']

export function traceFilterOptions(spans: Span[], limit: number): TraceFilterOptions {
  return {
    serviceNames: [...new Set(spans.map((span) => span.serviceName))].toSorted(ascending),
    operationNames: mostUsed(
      spans.map((span) => span.operationName),
      limit,
    ),
    statusValues: STATUSES.filter((status) => spans.some((span) => span.status === status)),
    tagKeys: mostUsed(spans.flatMap(tagKeysOf), limit),
  }
}

function tagKeysOf(span: Span): string[] {
  return [...Object.keys(span.attributes), ...Object.keys(span.resource)]
}

/** The names that occur most often, ties by name; then sorted by name. */
export function mostUsed(names: string[], limit: number): string[] {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  const ranked = [...counts].toSorted((a, b) => ascending(b[1], a[1]) || ascending(a[0], b[0]))
  return ranked
    .slice(0, limit)
    .map(([name]) => name)
    .toSorted(ascending)
}
