import type { Span } from '../domain/span.ts'
import { groupedBy } from './grouped-by.ts'

type Failed = Pick<Span, 'traceId' | 'spanId' | 'parentSpanId' | 'kind' | 'startNs' | 'durationNs'>

/**
 * Failed spans of one service, those together that are one error seen at several places: a span under another one in the
 * same trace. Innermost first in each. Spans that did not fail are not known here, so a span whose parent is missing is
 * taken to be under the failed request of its trace that it ran within.
 */
export function sameErrors<S extends Failed>(spans: S[]): S[][] {
  return [...groupedBy(spans, ({ traceId }) => traceId).values()].flatMap((ofTrace) =>
    ofTrace.length === 1 ? [ofTrace] : sameErrorsOfTrace(ofTrace),
  )
}

function sameErrorsOfTrace<S extends Failed>(spans: S[]): S[][] {
  const places = placesOf(spans, parentsOf(spans))
  const inner = [...places].sort(([a, at], [b, bt]) => bt.depth - at.depth || Number(b.startNs - a.startNs))
  return [...groupedBy(inner, ([, { outermost }]) => outermost).values()].map((same) => same.map(([span]) => span))
}

interface Place<S> {
  outermost: S
  depth: number
}

function placesOf<S>(spans: S[], parents: Map<S, S>): Map<S, Place<S>> {
  const places = new Map<S, Place<S>>()
  for (const span of spans) {
    const path = new Set<S>()
    let top: S | undefined = span
    // Parents that name each other in a circle end the way up where it began.
    for (; top && !places.has(top) && !path.has(top); top = parents.get(top)) path.add(top)
    let above = top && places.get(top)
    for (const each of [...path].reverse()) {
      above = above ? { outermost: above.outermost, depth: above.depth + 1 } : { outermost: each, depth: 0 }
      places.set(each, above)
    }
  }
  return places
}

/** The failed span that each one is under. */
function parentsOf<S extends Failed>(spans: S[]): Map<S, S> {
  const byId = new Map(spans.map((span) => [span.spanId, span]))
  const parents = new Map<S, S>()
  const around: S[] = []
  for (const span of spans.toSorted(outerFirst)) {
    const above = byId.get(span.parentSpanId) ?? (isEntry(span) ? undefined : innermostAround(around, span))
    if (above && above !== span) parents.set(span, above)
    if (isEntry(span)) nest(around, span)
  }
  return parents
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
