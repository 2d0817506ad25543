import type { TraceSpan } from '../../../domain/span.ts'
import { answersOf, isCall, type SpanNode } from './span-forest.ts'

/** Where time passes and where errors begin. */
export type Place =
  | { at: 'inside'; serviceName: string }
  /** A call that nobody answered with a span: something outside, or a service that was not reached. */
  | { at: 'call'; serviceName: string; targetName: string; targetIsService: boolean }
  /** Between a call and the span with which it was answered. */
  | { at: 'network'; serviceName: string; targetName: string }

export function placeOf(node: SpanNode, services: ReadonlySet<string>): Place {
  const { span } = node
  if (!isCall(span)) return { at: 'inside', serviceName: span.serviceName }
  const answer = answersOf(node)[0]
  if (answer) return { at: 'network', serviceName: span.serviceName, targetName: answer.span.serviceName }
  const targetName = targetOf(span, services)
  if (targetName === '' || targetName === span.serviceName) return { at: 'inside', serviceName: span.serviceName }
  return { at: 'call', serviceName: span.serviceName, targetName, targetIsService: services.has(targetName) }
}

export function placeKey(place: Place): string {
  return `${place.at}\n${place.serviceName}\n${'targetName' in place ? place.targetName : ''}`
}

function targetOf({ called }: TraceSpan, services: ReadonlySet<string>): string {
  return services.has(called.named) ? called.named : called.dependency
}
