import { attributesOf, type OtlpRecord, type Values } from '../otlp-records.ts'

export type Kind = 'INTERNAL' | 'SERVER' | 'CLIENT' | 'PRODUCER' | 'CONSUMER'

/** A message and which parts of it vary: `texts` has one more than `values`. */
export interface Message {
  texts: string[]
  values: string[]
}

/** A span as the generator made it: everything that the expected figures are computed from. */
export interface RawSpan {
  traceId: string
  spanId: string
  /** Empty for a root. */
  parentSpanId: string
  service: string
  operation: string
  kind: Kind
  /** Nanoseconds from the moment that the traffic leads up to, mostly below 0. */
  startNs: number
  durationNs: number
  failed: boolean
  exception: (Message & { type: string }) | undefined
  attributes: Values
  links: { traceId: string; spanId: string }[]
  /** Of its resource, besides the service's name. */
  resource?: Values
}

const KINDS = ['', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER']

export function otlpOf(span: RawSpan, momentMs: number): OtlpRecord {
  const startNs = BigInt(momentMs) * 1_000_000n + BigInt(span.startNs)
  const endNs = startNs + BigInt(span.durationNs)
  const { traceId, spanId, parentSpanId, links } = span
  return {
    resource: { 'service.name': span.service, ...span.resource },
    record: {
      traceId,
      spanId,
      parentSpanId,
      links,
      name: span.operation,
      kind: KINDS.indexOf(span.kind),
      startTimeUnixNano: String(startNs),
      endTimeUnixNano: String(endNs),
      attributes: attributesOf(span.attributes),
      status: span.failed ? { code: 2 } : {},
      events: span.exception ? [exceptionEvent(span.exception, endNs)] : [],
    },
  }
}

function exceptionEvent({ type, texts, values }: Message & { type: string }, timeNs: bigint): object {
  const message = texts.map((text, i) => text + (values[i] ?? '')).join('')
  return {
    name: 'exception',
    timeUnixNano: String(timeNs),
    attributes: attributesOf({ 'exception.type': type, 'exception.message': message }),
  }
}
