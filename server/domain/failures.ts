import type { Attributes, AttributeValue } from './attributes.ts'
import type { Span } from './span.ts'

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

/** Undefined where it was not recorded. */
export interface RecordedException {
  type: AttributeValue | undefined
  message: AttributeValue | undefined
}

/** What a span says of its failure. Many say the same. */
export interface Telling {
  statusMessage: string
  /** Those that tell of a failure. */
  attributes: Attributes
  /** In the order in which they were thrown. */
  exceptions: RecordedException[]
}

/** Failed spans by columns, in no particular order: there may be very many. */
export interface Failures {
  count: number
  /** The same number for spans of one trace, and for no others. */
  traces: Float64Array
  /** Of the spans of a trace: a span's number, and its parent's; 0 where it has none. */
  spans: Float64Array
  parents: Float64Array
  /** Since the start of the window that was asked about. */
  startsNs: Float64Array
  durationsNs: Float64Array
  /** As on the wire. */
  kinds: Uint8Array
  /** Places in `names`. */
  services: Uint32Array
  operations: Uint32Array
  names: string[]
  /** Places in `tellings`. */
  told: Uint32Array
  tellings: Telling[]
}

export function tellingOf({ statusMessage, attributes, events }: Span): Telling {
  return {
    statusMessage,
    attributes: Object.fromEntries(
      Object.entries(attributes).filter(([key, value]) => value !== null && FAILURE_ATTRIBUTES.includes(key)),
    ),
    exceptions: events
      .filter(({ name }) => name === 'exception')
      .sort((a, b) => (a.timeNs < b.timeNs ? -1 : a.timeNs > b.timeNs ? 1 : 0))
      .map(({ attributes: { 'exception.type': type, 'exception.message': message } }) => ({
        type: type ?? undefined,
        message: message ?? undefined,
      })),
  }
}
