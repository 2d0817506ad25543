import type { Attributes, AttributeValue } from './attributes.ts'
import { markedMessage, marksIn } from './message-template.ts'
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

/** What a span says of its failure, without what tells it apart from others that say the same. */
export interface Telling {
  /** With a mark for each value, as the messages of exceptions. */
  statusMessage: string
  /** Those that tell of a failure. */
  attributes: Attributes
  /** In the order in which they were thrown. */
  exceptions: RecordedException[]
  /** The values of some of the spans, in the order of their marks: those of the status message, then those of the exceptions. */
  samples: string[][]
}

/** So many values are looked at: what is the same in all of them is taken to be the same in all. */
export const SAMPLES_MAX = 20

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

/** What a span tells of its failure, and the values that are its own. */
export interface Told {
  telling: Omit<Telling, 'samples'>
  values: string[]
}

export function toldBy(
  statusMessage: string,
  attributes: Attributes,
  exceptions: RecordedException[],
  mark = markedMessage,
): Told {
  const values: string[] = []
  const marked = (message: string) => {
    const { text, values: own } = mark(message)
    values.push(...own)
    return text
  }
  return {
    telling: {
      statusMessage: marked(statusMessage),
      attributes,
      exceptions: exceptions.map(({ type, message }) => ({
        type,
        message: typeof message === 'string' ? marked(message) : message,
      })),
    },
    values,
  }
}

export function failureOf({ statusMessage, attributes, events }: Span): Told {
  const told = Object.entries(attributes).filter(([key, value]) => value !== null && FAILURE_ATTRIBUTES.includes(key))
  const exceptions = events
    .filter(({ name }) => name === 'exception')
    .sort((a, b) => (a.timeNs < b.timeNs ? -1 : a.timeNs > b.timeNs ? 1 : 0))
    .map(({ attributes: { 'exception.type': type, 'exception.message': message } }) => ({
      type: type ?? undefined,
      message: message ?? undefined,
    }))
  return toldBy(statusMessage, Object.fromEntries(told), exceptions)
}

/** The values of a telling's messages in one sample, message by message: the status message's, then those of each exception. */
export function valuesByMessage({ statusMessage, exceptions }: Telling, sample: string[]): string[][] {
  let from = 0
  return [statusMessage, ...exceptions.map(({ message }) => message)].map((message) => {
    const count = typeof message === 'string' ? marksIn(message) : 0
    from += count
    return sample.slice(from - count, from)
  })
}
