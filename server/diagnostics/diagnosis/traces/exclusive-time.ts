import { awaitedChildren, type SpanNode } from './span-forest.ts'

/** How long a span was busy itself: without the time in which it waited for its children. */
export function exclusiveMs(node: SpanNode): number {
  const length = Number(node.span.durationNs)
  const waits = awaitedChildren(node)
    .map((child) => waitFor(child, node))
    .toSorted((a, b) => a.from - b.from)
  let waited = 0
  let coveredTo = 0
  for (const { from, to } of waits) {
    const start = Math.max(from, coveredTo)
    if (to > start) waited += to - start
    coveredTo = Math.max(coveredTo, to)
  }
  return Math.max(0, length - waited) / 1e6
}

/** Nanoseconds since the parent's start. What another host's clock puts beyond the call's ends is moved inside. */
function waitFor(child: SpanNode, { span }: SpanNode): { from: number; to: number } {
  const length = Number(span.durationNs)
  const duration = Math.min(Number(child.span.durationNs), length)
  const start = Number(child.span.startNs - span.startNs)
  if (child.span.serviceName === span.serviceName)
    return { from: Math.max(0, start), to: Math.min(length, start + Number(child.span.durationNs)) }
  const from = Math.min(Math.max(0, start), length - duration)
  return { from, to: from + duration }
}
