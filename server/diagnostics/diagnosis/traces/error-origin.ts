import type { TraceSpan } from '../../../domain/span.ts'
import { answersOf, type SpanNode } from './span-forest.ts'

/** The failure that a failed span passed on: the one below it that has no failure below itself. Itself where there is none. */
export function errorOrigin(node: SpanNode): SpanNode {
  let origin = node
  for (let next = failedBelow(origin); next !== undefined; next = failedBelow(origin)) origin = next
  return origin
}

/** Of several failures the last to end: earlier ones were tried again, or borne. */
function failedBelow(node: SpanNode): SpanNode | undefined {
  let latest: SpanNode | undefined
  const pending = node.children.filter(({ span }) => span.kind !== 'CONSUMER')
  for (let child = pending.pop(); child !== undefined; child = pending.pop()) {
    if (child.span.status !== 'ERROR') pending.push(...child.children.filter(({ span }) => span.kind !== 'CONSUMER'))
    else if (latest === undefined || endNs(child.span) > endNs(latest.span)) latest = child
  }
  return latest
}

/** Whoever answered a call that failed although the answer did not: too late, or with something that only the caller calls a failure. */
export function goodAnswerTo(call: SpanNode): SpanNode | undefined {
  return answersOf(call).at(-1)
}

function endNs({ startNs, durationNs }: TraceSpan): bigint {
  return startNs + durationNs
}
