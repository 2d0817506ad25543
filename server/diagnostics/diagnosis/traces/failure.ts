import type { Attributes } from '../../../domain/attributes.ts'
import type { Span } from '../../../domain/span.ts'
import { failureTypeOf } from '../../failure-type.ts'

/** What kind of trouble a failure speaks of, whatever the runtime calls it. */
export type FailureClass = 'pool' | 'rejected' | 'throttled' | 'refused' | 'timeout' | 'memory' | 'other'

export interface Failure {
  class: FailureClass
  /** The exception's type, else the error type or status; empty where nothing is known. */
  type: string
  message: string
  /** Whether it was thrown, and not merely returned. */
  isException: boolean
}

/** The first that matches decides. Words of the libraries that people use; none of a service. */
const WORDS: [FailureClass, RegExp][] = [
  [
    'pool',
    /SQLTransientConnection|connection is not available|pool (limit|exhausted|timeout|is full)|pool.{0,40}(exhausted|no (idle|free|available))|QueuePool|AcquireError|acquire from|ResourcePool|(trying|failed|timed? ?out).{0,30}(acquir|get|obtain).{0,30}(connection|pool)|timeout exceeded when trying to connect|too many (clients|connections)|ConnectionPoolTimeout|pool has been exhausted|remaining connection slots/i,
  ],
  ['memory', /OutOfMemory|out of memory|heap (space|limit|out)|MemoryError|ENOMEM|GC overhead/i],
  [
    'throttled',
    /\b429\b|too many requests|rate.?limit|throttl|RESOURCE_EXHAUSTED|quota exceeded|SlowDown|RequestLimitExceeded/i,
  ],
  [
    'rejected',
    /RejectedExecution|QueueFull|Overload|workers are busy|task queue|thread ?pool.{0,20}(full|exhaust)|server (is )?busy/i,
  ],
  [
    'refused',
    /ECONNREFUSED|connection refused|ConnectException|ConnectError|EHOSTUNREACH|ENETUNREACH|no route to host|ENOTFOUND|UnknownHost|name or service not known|no such host|getaddrinfo|connection reset|ECONNRESET|broken pipe|EPIPE|socket hang up|net\.OpError|SocketException|UNAVAILABLE/i,
  ],
  [
    'timeout',
    /time.?out|timed out|deadline|ETIMEDOUT|TaskCanceled|no answer|\b504\b|DEADLINE_EXCEEDED|CANCELLED|context canceled/i,
  ],
]

/** Of a span that says nothing, or is gone before it was read. */
export const UNKNOWN_FAILURE: Failure = { class: 'other', type: '', message: '', isException: false }

/** What a failed span says of its failure: its last exception, else its error type and status message. */
export function failureOf({ events, attributes, statusMessage }: Span): Failure {
  const exception = events.findLast(
    ({ name, attributes: own }) => name === 'exception' || textOf(own, 'exception.type'),
  )
  const type = exception ? textOf(exception.attributes, 'exception.type') : failureTypeOf(attributes)
  const message = (exception && textOf(exception.attributes, 'exception.message')) || statusMessage
  return { class: failureClassOf(`${type} ${message}`), type, message, isException: exception !== undefined }
}

/** By the words of a failure, wherever they stand. */
export function failureClassOf(text: string): FailureClass {
  return WORDS.find(([, words]) => words.test(text))?.[0] ?? 'other'
}

function textOf(attributes: Attributes, key: string): string {
  const value = attributes[key]
  return typeof value === 'string' ? value : ''
}
