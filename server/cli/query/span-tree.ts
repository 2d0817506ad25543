interface ListedSpan {
  spanId: string
  parentSpanId: string | null
  startTime: string
}

export interface TreeSpan<Span> {
  span: Span
  depth: number
  /** Since the trace began. */
  offsetMs: number
}

const DEPTH_MAX = 40

/**
 * Each span behind its parent and before its parent's next child. A span whose parent is not there stands at the top, and
 * so does one of spans that name each other as parents.
 */
export function treeOf<Span extends ListedSpan>(spans: readonly Span[]): TreeSpan<Span>[] {
  const ids = new Set(spans.map(({ spanId }) => spanId))
  const children = new Map<string, Span[]>()
  for (const span of spans) {
    const parent = span.parentSpanId !== null && ids.has(span.parentSpanId) ? span.parentSpanId : ''
    const siblings = children.get(parent)
    if (siblings) siblings.push(span)
    else children.set(parent, [span])
  }
  const beganMs = spans.reduce(
    (first, { startTime }) => Math.min(first, Date.parse(startTime)),
    Number.POSITIVE_INFINITY,
  )
  const seen = new Set<Span>()
  const tree: TreeSpan<Span>[] = []
  const place = (top: Span): void => {
    // A list of what is still to be placed rather than recursion: a chain of spans may be very long.
    const waiting = [{ span: top, depth: 0 }]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { span, depth } = next
      if (seen.has(span)) continue
      seen.add(span)
      tree.push({ span, depth: Math.min(depth, DEPTH_MAX), offsetMs: Date.parse(span.startTime) - beganMs })
      for (const child of (children.get(span.spanId) ?? []).toReversed())
        waiting.push({ span: child, depth: depth + 1 })
    }
  }
  for (const top of children.get('') ?? []) place(top)
  for (const span of spans) if (!seen.has(span)) place(span)
  return tree
}
