import { describe, expect, it } from 'vitest'
import type { Attributes } from '../domain/attributes.ts'
import { type LogLiteral, logOf } from '../storage/conformance/log-builder.ts'
import { type SpanLiteral, spanOf } from '../storage/conformance/span-builder.ts'
import { failureTypeOf } from './failure-type.ts'
import { traceErrors } from './trace-errors.ts'

const span = (literal: SpanLiteral) => spanOf({ status: 'ERROR', startNs: 1000n, durationNs: 500n, ...literal })
const log = (literal: LogLiteral) => logOf({ timeNs: 1200n, span: '1', body: 'it broke', ...literal })
const exception = (timeNs: bigint, attributes: Attributes) => ({ name: 'exception', timeNs, attributes })

describe('traceErrors', () => {
  it('shows an exception event with all that it says', () => {
    const attributes = {
      'exception.type': 'IOException',
      'exception.message': 'broken pipe',
      'exception.stacktrace': 'at a\nat b',
      'exception.escaped': true,
    }
    expect(traceErrors([span({ events: [exception(1100n, attributes)] })], [])).toEqual([
      {
        timeNs: 1100n,
        spanId: '0000000000000001',
        serviceName: 'shop',
        exceptionType: 'IOException',
        message: 'broken pipe',
        stackTrace: 'at a\nat b',
        attributes,
      },
    ])
  })

  it('shows an exception of a span that did not fail', () => {
    const events = [exception(1100n, { 'exception.type': 'Retried' })]
    expect(traceErrors([span({ status: 'OK', events })], [])).toMatchObject([{ exceptionType: 'Retried' }])
  })

  it('shows a failed span without an exception when it ended, with its status', () => {
    const failed = span({ statusMessage: 'upstream', attributes: { 'error.type': 'timeout' } })
    expect(traceErrors([failed], [])).toMatchObject([
      { timeNs: 1500n, exceptionType: 'timeout', message: 'upstream', stackTrace: '' },
    ])
  })

  it('shows nothing of a span that neither failed nor recorded an exception', () => {
    expect(traceErrors([span({ status: 'OK', events: [{ name: 'retry', timeNs: 1n, attributes: {} }] })], [])).toEqual(
      [],
    )
  })

  it('counts the same span and exception type once, the earliest', () => {
    const events = [
      exception(1300n, { 'exception.type': 'Timeout', 'exception.message': 'second' }),
      exception(1100n, { 'exception.type': 'Timeout', 'exception.message': 'first' }),
      exception(1200n, { 'exception.type': 'Refused' }),
    ]
    const found = traceErrors([span({ events })], [])
    expect(found.map(({ exceptionType, message }) => [exceptionType, message])).toEqual([
      ['Timeout', 'first'],
      ['Refused', ''],
    ])
  })

  it('lets the fields of the event win over a log of the same exception, and fills what it lacks', () => {
    const events = [exception(1100n, { 'exception.type': 'Timeout', 'exception.message': 'from the span', pool: 'a' })]
    const logged = log({
      attributes: {
        'exception.type': 'Timeout',
        'exception.message': 'from the log',
        'exception.stacktrace': 'at c',
        pool: 'b',
        thread: 7,
      },
    })
    expect(traceErrors([span({ events })], [logged])).toMatchObject([
      { timeNs: 1100n, message: 'from the span', stackTrace: 'at c', attributes: { pool: 'a', thread: 7 } },
    ])
  })

  it('keeps another exception type in a log of the same span apart', () => {
    const events = [exception(1100n, { 'exception.type': 'Timeout' })]
    const found = traceErrors([span({ events })], [log({ attributes: { 'exception.type': 'Refused' } })])
    expect(found.map(({ exceptionType }) => exceptionType)).toEqual(['Timeout', 'Refused'])
  })

  it('takes a failure of which nothing is known for the exception that was logged in it', () => {
    expect(traceErrors([span({})], [log({ attributes: { 'exception.type': 'Refused' } })])).toMatchObject([
      { exceptionType: 'Refused', message: 'it broke' },
    ])
  })

  it('keeps exceptions apart that were logged outside of any span', () => {
    const outside = (id: string) => logOf({ id, attributes: { 'exception.type': 'Refused' } })
    const logs = [outside('a'), outside('b')]
    expect(traceErrors([], logs)).toHaveLength(2)
  })

  it('passes over logs without exception attributes', () => {
    expect(traceErrors([], [log({ attributes: { 'http.route': '/' } })])).toEqual([])
  })

  it('orders by time, whatever the source', () => {
    const found = traceErrors(
      [span({ id: '2', durationNs: 5000n }), span({ events: [exception(1100n, {})] })],
      [log({ span: '3', timeNs: 1050n, attributes: { 'exception.message': 'x' } })],
    )
    expect(found.map(({ timeNs }) => timeNs)).toEqual([1050n, 1100n, 6000n])
  })
})

describe('failureTypeOf', () => {
  it.each<[Attributes, string]>([
    [{ 'error.type': 'timeout', 'http.response.status_code': 504 }, 'timeout'],
    [{ 'error.type': 500 }, '500'],
    [{ 'http.response.status_code': 503 }, '503'],
    [{ 'http.status_code': '502' }, '502'],
    [{ 'http.response.status_code': 200, 'rpc.grpc.status_code': 14 }, 'UNAVAILABLE'],
    [{ 'rpc.response.status_code': 'DEADLINE_EXCEEDED' }, 'DEADLINE_EXCEEDED'],
    [{ 'rpc.grpc.status_code': 0 }, ''],
    [{ 'rpc.grpc.status_code': 99 }, '99'],
    [{}, ''],
  ])('calls %j %s', (attributes, type) => expect(failureTypeOf(attributes)).toBe(type))
})
