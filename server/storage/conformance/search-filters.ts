import { expect } from 'vitest'
import { expectFound, filterOf } from './expect-found.ts'
import { answersWherever } from './placements.ts'
import { type SpanLiteral, summaryOf } from './span-builder.ts'
import { type Backend, describeWithStore } from './subject.ts'
import { BASE_NS } from './test-time.ts'

const SHOP: SpanLiteral[] = [
  { trace: 'a', id: '1', atMs: 10, service: 'web', operation: 'GET /', kind: 'SERVER', durationMs: 100 },
  { trace: 'a', id: '2', parent: '1', atMs: 11, service: 'cart', operation: 'list', durationMs: 50 },
  { trace: 'a', id: '3', parent: '2', atMs: 12, service: 'cart', operation: 'load', durationMs: 20, status: 'ERROR' },
  { trace: 'b', id: '4', atMs: 20, service: 'web', operation: 'GET /', kind: 'SERVER', durationMs: 300, status: 'OK' },
  { trace: 'b', id: '5', parent: '4', atMs: 21, service: 'pay', operation: 'load', durationMs: 250 },
  { trace: 'c', id: '6', atMs: 30, service: 'cart', operation: 'list', durationMs: 50, status: 'ERROR' },
]

export function describeSearchFilters(backend: Backend): void {
  describeWithStore('searching traces by what their spans are', backend, (subject) => {
    const answers = answersWherever(subject)

    answers('finds nothing where there is nothing', { logs: [{ trace: '1' }] }, async (reader) => {
      expect(await reader.searchTraces(filterOf())).toEqual({ items: [], totalCount: 0 })
      expect(await reader.searchTraces(filterOf({ serviceName: 'web' }))).toEqual({ items: [], totalCount: 0 })
    })

    answers('shows a found span as it is', { spans: SHOP }, async (reader) => {
      const item = summaryOf(SHOP[2] as SpanLiteral)
      expect(await reader.searchTraces(filterOf({ status: 'ERROR', operationName: 'load' }))).toEqual({
        items: [item],
        totalCount: 1,
      })
    })

    answers('finds every trace by its root, newest first', { spans: SHOP }, async (reader) => {
      await expectFound(reader, {}, ['c/6', 'b/4', 'a/1'])
      await expectFound(reader, { tags: {} }, ['c/6', 'b/4', 'a/1'])
    })

    answers('finds by service, by operation and by both on one span', { spans: SHOP }, async (reader) => {
      await expectFound(reader, { serviceName: 'cart' }, ['c/6', 'a/2'])
      await expectFound(reader, { operationName: 'load' }, ['b/5', 'a/3'])
      await expectFound(reader, { serviceName: 'cart', operationName: 'load' }, ['a/3'])
      await expectFound(reader, { serviceName: 'web', operationName: 'load' }, [])
      await expectFound(reader, { serviceName: 'unknown' }, [])
      await expectFound(reader, { operationName: 'unknown' }, [])
    })

    answers('finds by status, where anything but an error is fine', { spans: SHOP }, async (reader) => {
      await expectFound(reader, { status: 'ERROR' }, ['c/6', 'a/3'])
      await expectFound(reader, { status: 'OK' }, ['b/4', 'a/1'])
      await expectFound(reader, { status: 'OK', serviceName: 'cart' }, ['a/2'])
    })

    answers('finds by duration, bounds included', { spans: SHOP }, async (reader) => {
      await expectFound(reader, { minDurationMs: 100 }, ['b/4', 'a/1'])
      await expectFound(reader, { minDurationMs: 101 }, ['b/4'])
      await expectFound(reader, { maxDurationMs: 50 }, ['c/6', 'a/2'])
      await expectFound(reader, { maxDurationMs: 49 }, ['a/3'])
      await expectFound(reader, { minDurationMs: 50, maxDurationMs: 250 }, ['c/6', 'b/5', 'a/1'])
      await expectFound(reader, { minDurationMs: 251, maxDurationMs: 250 }, [])
      await expectFound(reader, { minDurationMs: 40, serviceName: 'cart', status: 'ERROR' }, ['c/6'])
    })

    const fractions = [0n, 499_999n, 500_000n, 1_499_999n, 1_500_000n, 2_499_999n, 2_500_000n]
    const rounded = fractions.map((durationNs, index): SpanLiteral => {
      return { trace: `${index + 1}`, id: `${index + 1}`, atMs: 10 - index, durationNs }
    })
    answers('judges durations as they are shown, in whole milliseconds', { spans: rounded }, async (reader) => {
      await expectFound(reader, { maxDurationMs: 0 }, ['1/1', '2/2'])
      await expectFound(reader, { minDurationMs: 1, maxDurationMs: 1 }, ['3/3', '4/4'])
      await expectFound(reader, { minDurationMs: 2, maxDurationMs: 2 }, ['5/5', '6/6'])
      await expectFound(reader, { minDurationMs: 3 }, ['7/7'])
    })

    const edges = [-1n, 0n, 1n, 999n, 1000n].map((offset, index): SpanLiteral => {
      return { trace: `${index + 1}`, id: `${index + 1}`, startNs: BASE_NS + offset, durationMs: 1000 }
    })
    answers('takes what starts in the window, to the nanosecond', { spans: edges }, async (reader) => {
      await expectFound(reader, { window: { startNs: BASE_NS, endNs: BASE_NS + 1000n } }, ['4/4', '3/3', '2/2'])
      await expectFound(reader, { window: { startNs: BASE_NS, endNs: BASE_NS + 1n } }, ['2/2'])
      await expectFound(reader, { window: { startNs: BASE_NS, endNs: BASE_NS } }, [])
      await expectFound(reader, { window: { startNs: BASE_NS + 1001n, endNs: BASE_NS + 9999n } }, [])
    })

    const distant: SpanLiteral[] = [
      { trace: '1', startNs: 1n },
      { trace: '2', startNs: BigInt(Date.UTC(2200, 0, 1)) * 1_000_000n },
    ]
    answers('reaches far into past and future', { spans: distant }, async (reader) => {
      await expectFound(reader, { window: { startNs: 0n, endNs: 2n ** 63n - 1n } }, ['2/1', '1/1'])
      await expectFound(reader, { window: { startNs: 0n, endNs: BASE_NS } }, ['1/1'])
    })

    const cased: SpanLiteral[] = ['api', 'Api', 'api ', 'apis', 'ap', 'caf\u00e9', 'cafe\u0301'].map((name, index) => {
      return { trace: `${index + 1}`, id: `${index + 1}`, service: name, operation: name, attributes: { name } }
    })
    answers('compares names exactly', { spans: cased }, async (reader) => {
      for (const { service = '', id } of cased) {
        await expectFound(reader, { serviceName: service }, [`${id}/${id}`])
        await expectFound(reader, { operationName: service }, [`${id}/${id}`])
        await expectFound(reader, { tags: { name: service } }, [`${id}/${id}`])
      }
    })
  })
}
