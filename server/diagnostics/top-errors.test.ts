import { describe, expect, it } from 'vitest'
import type { Attributes } from '../domain/attributes.ts'
import { type SpanLiteral, spanOf } from '../storage/conformance/span-builder.ts'
import { WHOLE_WINDOW } from '../storage/conformance/test-time.ts'
import { failuresOf } from '../storage/memory/failures-in.ts'
import { topErrors } from './top-errors.ts'

let made = 0
/** A failed span in a trace of its own, unless it says otherwise. */
const failed = (literal: SpanLiteral = {}): SpanLiteral => {
  const id = (++made).toString(16)
  return { trace: id, id, status: 'ERROR', kind: 'SERVER', ...literal }
}
const exception = (type: string, message: string, timeNs = 1n) => ({
  name: 'exception',
  timeNs,
  attributes: { 'exception.type': type, 'exception.message': message },
})
const threw = (type: string, message: string, literal: SpanLiteral = {}) =>
  failed({ events: [exception(type, message)], ...literal })
const top = (...literals: SpanLiteral[]) => topErrors(failuresOf(literals.map(spanOf), WHOLE_WINDOW))

describe('topErrors', () => {
  it('is empty without errors', () => expect(top()).toEqual([]))

  it('counts by exception type and message, most frequent first, with shares of all errors', () => {
    expect(
      top(
        threw('Timeout', 'pool is empty'),
        threw('Timeout', 'no answer'),
        threw('Refused', 'no answer'),
        threw('Timeout', 'no answer'),
        threw('Timeout', 'no answer'),
        threw('Refused', 'no answer'),
        threw('Aborted', 'no answer'),
      ),
    ).toEqual([
      { exceptionType: 'Timeout', message: 'no answer', count: 3, percentage: 42.86 },
      { exceptionType: 'Refused', message: 'no answer', count: 2, percentage: 28.57 },
      { exceptionType: 'Aborted', message: 'no answer', count: 1, percentage: 14.29 },
      { exceptionType: 'Timeout', message: 'pool is empty', count: 1, percentage: 14.29 },
    ])
  })

  it('takes messages for one that differ in ids, numbers and quoted values', () => {
    expect(
      top(
        threw('NotFound', `order 17 of 'ann' not found in 30 ms`),
        threw('NotFound', `order 0b5f0a52-6a5c-4c1e-9d8e-3c1f6a7d2e11 of 'bob' not found in 30 ms`),
      ),
    ).toEqual([{ exceptionType: 'NotFound', message: 'order * of * not found in 30 ms', count: 2, percentage: 100 }])
  })

  it('shows a message as it is where it is always the same', () => {
    expect(top(threw('Timeout', 'no answer in 2000 ms'), threw('Timeout', 'no answer in 2000 ms'))).toMatchObject([
      { message: 'no answer in 2000 ms', count: 2 },
    ])
  })

  it.each<[Attributes, string]>([
    [{ 'error.type': 'timeout', 'http.response.status_code': 504 }, 'timeout'],
    [{ 'http.response.status_code': 503 }, '503'],
    [{ 'http.status_code': 502 }, '502'],
    [{ 'rpc.grpc.status_code': 14 }, 'UNAVAILABLE'],
    [{}, ''],
  ])('names an error without an exception by its attributes: %j is %s', (attributes, exceptionType) => {
    expect(top(failed({ attributes, statusMessage: 'upstream failed' }))).toEqual([
      { exceptionType, message: 'upstream failed', count: 1, percentage: 100 },
    ])
  })

  it('prefers the exception to the attributes', () => {
    expect(top(threw('IOException', 'broken pipe', { attributes: { 'error.type': '500' } }))).toMatchObject([
      { exceptionType: 'IOException' },
    ])
  })

  it('takes the last exception of a span for the one that it failed with', () => {
    const events = [exception('Refused', 'second', 20n), exception('Timeout', 'first', 10n)]
    expect(top(failed({ events }))).toMatchObject([{ exceptionType: 'Refused', message: 'second' }])
  })

  it('tells the status message where the exception has none, and the exception message where it has no type', () => {
    const untold = { name: 'exception', timeNs: 1n, attributes: { 'exception.type': 'Timeout' } }
    expect(top(failed({ events: [untold], statusMessage: 'it took long' }))).toMatchObject([
      { exceptionType: 'Timeout', message: 'it took long' },
    ])
    const untyped = { name: 'exception', timeNs: 1n, attributes: { 'exception.message': 'broken' } }
    expect(top(failed({ events: [untyped], attributes: { 'error.type': 'io' } }))).toMatchObject([
      { exceptionType: 'io', message: 'broken' },
    ])
  })

  it('counts an error under another once, with the type of the exception', () => {
    expect(
      top(
        failed({ trace: 'aa', id: 'aa1', attributes: { 'http.response.status_code': 500 }, durationMs: 100 }),
        threw('SocketTimeout', 'read timed out', { trace: 'aa', id: 'aa2', parent: 'aa1', kind: 'CLIENT' }),
      ),
    ).toEqual([{ exceptionType: 'SocketTimeout', message: 'read timed out', count: 1, percentage: 100 }])
  })

  it('takes the exception that was there although a deeper span has only a status', () => {
    expect(
      top(
        threw('OrderFailed', 'no stock', { trace: 'ab', id: 'ab1', durationMs: 100 }),
        failed({ trace: 'ab', id: 'ab2', parent: 'ab1', kind: 'CLIENT', attributes: { 'error.type': '409' } }),
      ),
    ).toMatchObject([{ exceptionType: 'OrderFailed', message: 'no stock', count: 1 }])
  })

  it('takes the innermost exception where there are several', () => {
    expect(
      top(
        threw('Wrapped', 'failed', { trace: 'ac', id: 'ac1', durationMs: 100 }),
        threw('Cause', 'disk full', { trace: 'ac', id: 'ac2', parent: 'ac1', kind: 'INTERNAL' }),
      ),
    ).toMatchObject([{ exceptionType: 'Cause', message: 'disk full', count: 1 }])
  })

  it('tells messages apart by their beginnings, and shows no more', () => {
    const [error] = top(threw('Long', `${'x'.repeat(600)} a`), threw('Long', `${'x'.repeat(600)} b`))
    expect(error).toMatchObject({ message: `${'x'.repeat(500)}…`, count: 2 })
  })

  it('keeps the ten most frequent, with shares of all', () => {
    const types = [...'abcdefghijkl']
    const errors = top(...types.flatMap((type, i) => Array.from({ length: 12 - i }, () => threw(type, 'x'))))
    expect(errors.map(({ exceptionType }) => exceptionType)).toEqual([...'abcdefghij'])
    expect(errors[0]).toMatchObject({ count: 12, percentage: 15.38 })
  })
})
