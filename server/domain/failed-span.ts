import type { Attributes } from './attributes.ts'
import type { Span, SpanSummary } from './span.ts'

/** What tells of a failure, or of what it was about. Only ever added to at the end: stores keep values in this order. */
const TOLD_BY = [
  'error.type',
  'http.response.status_code',
  'http.status_code',
  'rpc.response.status_code',
  'rpc.grpc.status_code',
  'db.namespace',
  'db.name',
  'db.system.name',
  'db.system',
  'server.address',
  'net.peer.name',
  'peer.service',
  'url.domain',
  'http.host',
  'rpc.service',
] as const

/** Some write underscores for dots. */
export const FAILURE_ATTRIBUTES: readonly string[] = TOLD_BY.flatMap((key) => [key, key.replaceAll('.', '_')])

const EXCEPTION_ATTRIBUTES: readonly string[] = ['exception.type', 'exception.message']

/** A failed span as failures are judged: of its attributes those that tell of one, of its events the exceptions. */
export type FailedSpan = Pick<Span, keyof SpanSummary | 'statusMessage' | 'attributes' | 'events'>

export function failedSpanOf(span: Span): FailedSpan {
  const { traceId, spanId, parentSpanId, serviceName, operationName, kind, status, startNs, durationNs } = span
  return {
    ...{ traceId, spanId, parentSpanId, serviceName, operationName, kind, status, startNs, durationNs },
    statusMessage: span.statusMessage,
    attributes: picked(span.attributes, FAILURE_ATTRIBUTES),
    events: span.events
      .filter(({ name }) => name === 'exception')
      .map(({ name, timeNs, attributes }) => ({ name, timeNs, attributes: picked(attributes, EXCEPTION_ATTRIBUTES) })),
  }
}

function picked(attributes: Attributes, keys: readonly string[]): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([key, value]) => value !== null && keys.includes(key)))
}
