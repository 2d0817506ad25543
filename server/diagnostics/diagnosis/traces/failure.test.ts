import { expect, it } from 'vitest'
import { type SpanLiteral, spanOf } from '../../../storage/conformance/span-builder.ts'
import { failureOf } from './failure.ts'

function thrown(type: string, message: string): SpanLiteral {
  return {
    status: 'ERROR',
    events: [{ name: 'exception', timeNs: 1n, attributes: { 'exception.type': type, 'exception.message': message } }],
  }
}

it.each([
  [
    'pool',
    'java.sql.SQLTransientConnectionException',
    'pay - Connection is not available, request timed out after 30000ms',
  ],
  ['pool', 'sqlalchemy.exc.TimeoutError', 'QueuePool limit of size 5 overflow 10 reached, connection timed out'],
  ['pool', 'Error', 'timeout exceeded when trying to connect'],
  ['pool', 'System.InvalidOperationException', 'The connection pool has been exhausted, either raise MaxPoolSize'],
  ['rejected', 'java.util.concurrent.RejectedExecutionException', 'Task rejected from ThreadPoolExecutor'],
  ['throttled', 'HttpError', '429 Too Many Requests'],
  ['refused', 'java.net.ConnectException', 'Connection refused'],
  ['refused', 'Error', 'getaddrinfo ENOTFOUND cart'],
  ['timeout', 'httpx.ReadTimeout', 'The read operation timed out'],
  ['timeout', 'context.deadlineExceededError', 'context deadline exceeded'],
  ['memory', 'java.lang.OutOfMemoryError', 'Java heap space'],
  ['other', 'java.lang.NullPointerException', 'Cannot invoke "Coupon.code()" because "coupon" is null'],
])('takes for %s what says %s: %s', (kind, type, message) => {
  expect(failureOf(spanOf(thrown(type, message)))).toEqual({ class: kind, type, message, isException: true })
})

it('reads the status of a failure that was returned and not thrown', () => {
  const span = spanOf({ status: 'ERROR', attributes: { 'http.response.status_code': 503 }, statusMessage: 'no stock' })
  expect(failureOf(span)).toEqual({ class: 'other', type: '503', message: 'no stock', isException: false })
})
