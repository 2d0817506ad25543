import { nodeOf, type SpanForest, type SpanNode } from '../traces/span-forest.ts'
import type { Inquiry } from './inquiry.ts'

const CALLED_MIN = 0.8
const CALLED_STILL_MAX = 0.5
const REQUESTS_MIN = 5

/**
 * What the service at fault called as a matter of course, and no longer gets to when it fails: the first of these, since what
 * would come later is left out for the same reason. Empty where nothing is.
 */
export function firstMissingTarget(inquiry: Inquiry): string {
  const { failed, good } = requestsOf(inquiry)
  const operations = new Set(failed.map(({ span }) => span.operationName))
  const alike = good.filter(({ span }) => operations.has(span.operationName))
  if (failed.length < REQUESTS_MIN || alike.length < REQUESTS_MIN) return ''
  const usual = callsOf(alike)
  const left = callsOf(failed)
  const missing = [...usual].filter(
    ([key, { count }]) =>
      count >= CALLED_MIN * alike.length && (left.get(key)?.count ?? 0) <= CALLED_STILL_MAX * failed.length,
  )
  return missing.toSorted(([, a], [, b]) => a.place / a.count - b.place / b.count)[0]?.[1].targetName ?? ''
}

function requestsOf({ suspect, details }: Inquiry): { failed: SpanNode[]; good: SpanNode[] } {
  const nodes = (forest: SpanForest, spans: { traceId: string; spanId: string }[]) =>
    spans.flatMap((span) => nodeOf(forest, span) ?? [])
  const witnesses = details.witnesses.get(suspect.serviceName)
  if (suspect.votes.length === 0 && witnesses)
    return { failed: nodes(witnesses.forest, witnesses.broken), good: nodes(witnesses.forest, witnesses.kept) }
  const origins = suspect.votes.filter(({ by, origin }) => by === 'error' && origin.serviceName === suspect.serviceName)
  const calm = new Set(details.samples.flatMap((sample) => sample.calm.map(({ traceId }) => traceId)))
  const own = [...details.forest.values()].filter(({ span }) => span.serviceName === suspect.serviceName)
  return {
    failed: nodes(
      details.forest,
      origins.map(({ origin }) => origin),
    ),
    good: own.filter(({ span }) => calm.has(span.traceId) && span.status !== 'ERROR'),
  }
}

interface Call {
  targetName: string
  /** In how many requests it is made, and at which place among their calls, summed up. */
  count: number
  place: number
}

/** Calls to things outside, told apart by operation: a request may ask the same thing several times, and fail in between. */
function callsOf(requests: SpanNode[]): Map<string, Call> {
  const found = new Map<string, Call>()
  for (const { children, span } of requests) {
    const own = children.filter((child) => child.span.kind === 'CLIENT' && child.span.serviceName === span.serviceName)
    for (const [place, { operationName, called }] of own.map((child) => child.span).entries()) {
      const targetName = called.dependency
      const key = `${targetName}\n${operationName}`
      const known = found.get(key) ?? { targetName, count: 0, place: 0 }
      if (targetName !== '') found.set(key, { targetName, count: known.count + 1, place: known.place + place })
    }
  }
  return found
}
