import type { TraceSpan } from '../../../domain/span.ts'

/** A trace cannot be deeper than this and be meant so. */
const DEPTH_MAX = 100

/** A span and what it set off. */
export interface SpanNode {
  span: TraceSpan
  parent: SpanNode | undefined
  /** By start. */
  children: SpanNode[]
}

export type SpanId = Pick<TraceSpan, 'traceId' | 'spanId'>

export type SpanForest = ReadonlyMap<string, SpanNode>

export function spanForest(spans: TraceSpan[]): SpanForest {
  const nodes = new Map<string, SpanNode>()
  for (const span of spans) nodes.set(spanKey(span), { span, parent: undefined, children: [] })
  for (const node of nodes.values()) {
    const parent = nodes.get(spanKey({ traceId: node.span.traceId, spanId: node.span.parentSpanId }))
    if (parent === undefined || parent === node) continue
    node.parent = parent
    parent.children.push(node)
  }
  for (const { children } of nodes.values()) children.sort((a, b) => Number(a.span.startNs - b.span.startNs))
  return nodes
}

export function nodeOf(forest: SpanForest, span: SpanId): SpanNode | undefined {
  return forest.get(spanKey(span))
}

/** The spans that led to this one, the nearest first. */
export function ancestorsOf(node: SpanNode): TraceSpan[] {
  const found = new Set<TraceSpan>()
  // Spans may name each other as parents in a circle.
  for (let next = node.parent; next !== undefined && !found.has(next.span); next = next.parent) found.add(next.span)
  return [...found].slice(0, DEPTH_MAX)
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

export function isCall({ kind }: TraceSpan): boolean {
  return kind === 'CLIENT' || kind === 'PRODUCER'
}

export function spanKey({ traceId, spanId }: SpanId): string {
  return `${traceId}/${spanId}`
}
