import type { Span } from '../domain/span.ts'
import { groupedBy } from './grouped-by.ts'

type Failed = Pick<Span, 'traceId' | 'spanId' | 'parentSpanId' | 'kind' | 'startNs' | 'durationNs'>

/**
 * Failed spans of one service, those together that are one error seen at several places: a span under another one in the
 * same trace. Innermost first in each. Spans that did not fail are not known here, so a span whose parent is missing is
 * taken to be under the failed request of its trace that it ran within.
 */
export function sameErrors<S extends Failed>(spans: S[]): S[][] {
  const traces = [...groupedBy(spans, ({ traceId }) => traceId).values()]
  const related = traces.filter(({ length }) => length > 1)
  const places = placesOf(related.flat(), new Map(related.flatMap(parentsOf)))
  const groups = groupedBy(places, ([, { outermost }]) => outermost)
  return [
    ...traces.filter(({ length }) => length === 1),
    ...[...groups.values()].map((same) => same.sort(innerFirst).map(([span]) => span)),
  ]
}

interface Place<S> {
  outermost: S
  depth: number
}

function innerFirst<S extends Failed>([a, { depth: depthA }]: [S, Place<S>], [b, { depth: depthB }]: [S, Place<S>]) {
  return depthB - depthA || Number(b.startNs - a.startNs)
}

function placesOf<S>(spans: S[], parents: Map<S, S>): Map<S, Place<S>> {
  const places = new Map<S, Place<S>>()
  for (const span of spans) {
    const path: S[] = []
    let top: S | undefined = span
    for (; top && !places.has(top); top = parents.get(top)) {
      path.push(top)
      // Parents that name each other in a circle end the way up where it began.
      places.set(top, { outermost: top, depth: 0 })
    }
    let above = top && !path.includes(top) ? places.get(top) : undefined
    for (const each of path.reverse()) {
      above = above ? { outermost: above.outermost, depth: above.depth + 1 } : { outermost: each, depth: 0 }
      places.set(each, above)
    }
  }
  return places
}

/** The failed spans of a trace that are under others, each with the one that it is under. */
function parentsOf<S extends Failed>(ofTrace: S[]): [S, S][] {
  const find = finderOf(ofTrace)
  const around: S[] = []
  return ofTrace.sort(outerFirst).flatMap((span): [S, S][] => {
    const above = find(span.parentSpanId) ?? (isEntry(span) ? undefined : innermostAround(around, span))
    if (isEntry(span)) nest(around, span)
    return above && above !== span ? [[span, above]] : []
  })
}

/** Few spans are found sooner by looking at each. */
function finderOf<S extends Failed>(spans: S[]): (spanId: string) => S | undefined {
  if (spans.length <= 8) return (spanId) => spans.find((span) => span.spanId === spanId)
  const byId = new Map(spans.map((span) => [span.spanId, span]))
  return (spanId) => byId.get(spanId)
}

/** Where a trace enters the service: nothing of the service is above it, but by a direct parent. */
function isEntry({ kind, parentSpanId }: Failed): boolean {
  return kind === 'SERVER' || kind === 'CONSUMER' || parentSpanId === ''
}

/** Puts a span into a list of spans each of which ends no later than the one before it. */
function nest<S extends Failed>(around: S[], span: S): void {
  while (around.length > 0 && endOf(around.at(-1) as S) < endOf(span)) around.pop()
  around.push(span)
}

/** The last of the list that ends no earlier than the span. */
function innermostAround<S extends Failed>(around: S[], span: S): S | undefined {
  let low = 0
  let high = around.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (endOf(around[middle] as S) >= endOf(span)) low = middle + 1
    else high = middle
  }
  return around[low - 1]
}

function outerFirst(a: Failed, b: Failed): number {
  return Number(a.startNs - b.startNs) || Number(b.durationNs - a.durationNs)
}

function endOf({ startNs, durationNs }: Failed): bigint {
  return startNs + durationNs
}
