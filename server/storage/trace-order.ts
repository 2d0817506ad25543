import type { SpanSummary } from '../domain/span.ts'

/** Ascending by start; among spans that start together a parent comes before its children, then the smaller id. */
export function parentsFirst<T extends SpanSummary>(spans: T[]): T[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]))
  const depths = new Map<SpanSummary, number>()
  for (const span of spans) measureDepth(span, byId, depths)
  return [...spans].sort((a, b) => {
    if (a.startNs !== b.startNs) return a.startNs < b.startNs ? -1 : 1
    const deeper = (depths.get(a) ?? 0) - (depths.get(b) ?? 0)
    if (deeper !== 0) return deeper
    return a.spanId < b.spanId ? -1 : 1
  })
}

/** How many ancestors of a span start at the same moment, noted for it and for each of them. A circle of parents ends the count. */
function measureDepth(span: SpanSummary, byId: Map<string, SpanSummary>, depths: Map<SpanSummary, number>): void {
  const path: SpanSummary[] = []
  const onPath = new Set<SpanSummary>()
  let at: SpanSummary | undefined = span
  while (at && at.startNs === span.startNs && !depths.has(at) && !onPath.has(at)) {
    path.push(at)
    onPath.add(at)
    at = byId.get(at.parentSpanId)
  }
  const known = at && at.startNs === span.startNs ? depths.get(at) : undefined
  let depth = known === undefined ? 0 : known + 1
  for (const ancestor of path.reverse()) depths.set(ancestor, depth++)
}
