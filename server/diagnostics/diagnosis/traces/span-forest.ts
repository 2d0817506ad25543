import type { Span } from '../../../domain/span.ts'

/** A span and what it set off. */
export interface SpanNode {
  span: Span
  parent: SpanNode | undefined
  /** By start. */
  children: SpanNode[]
}

export type SpanForest = ReadonlyMap<string, SpanNode>

export function spanForest(spans: Span[]): SpanForest {
  const nodes = new Map<string, SpanNode>()
  for (const span of spans) nodes.set(nodeKey(span.traceId, span.spanId), { span, parent: undefined, children: [] })
  for (const node of nodes.values()) {
    const parent = nodes.get(nodeKey(node.span.traceId, node.span.parentSpanId))
    if (parent === undefined || parent === node) continue
    node.parent = parent
    parent.children.push(node)
  }
  for (const { children } of nodes.values()) children.sort((a, b) => Number(a.span.startNs - b.span.startNs))
  return nodes
}

export function nodeOf(
  forest: SpanForest,
  { traceId, spanId }: Pick<Span, 'traceId' | 'spanId'>,
): SpanNode | undefined {
  return forest.get(nodeKey(traceId, spanId))
}

/** What a span waits for: not for the one who takes its message, nor for what begins after its own end. */
export function awaitedChildren({ span, children }: SpanNode): SpanNode[] {
  return children.filter(({ span: child }) => {
    if (child.kind === 'CONSUMER') return false
    // Clocks of two hosts differ, so what another service did is believed to be within the call.
    return child.serviceName !== span.serviceName || child.startNs < span.startNs + span.durationNs
  })
}

/** The spans with which other services answered this call. */
export function answersOf({ span, children }: SpanNode): SpanNode[] {
  return children.filter((child) => child.span.serviceName !== span.serviceName && child.span.kind !== 'CONSUMER')
}

export function isCall({ kind }: Span): boolean {
  return kind === 'CLIENT' || kind === 'PRODUCER'
}

function nodeKey(traceId: string, spanId: string): string {
  return `${traceId}/${spanId}`
}
