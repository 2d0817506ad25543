import { expect } from 'vitest'
import type { SpanSummary } from '../../domain/span.ts'
import { spanIdOf, traceIdOf } from './column-filling.ts'
import { logOf } from './log-builder.ts'
import { answersWherever } from './placements.ts'
import { type SpanLiteral, summaryOf } from './span-builder.ts'
import { type Backend, describeWithStore } from './subject.ts'
import { MS_PER_HOUR } from './test-time.ts'

const TRACE = traceIdOf('1')

const idsOf = (spans: SpanSummary[]): string[] => spans.map((span) => span.spanId.replace(/^0+/, ''))

export function describeTraceReading(backend: Backend): void {
  describeWithStore('reading the spans of a trace', backend, (subject) => {
    const answers = answersWherever(subject)

    answers('has no spans of an unknown trace', { spans: [{ trace: '2' }] }, async (reader) => {
      expect(await reader.traceSpans(TRACE, 10)).toEqual({ spans: [], totalCount: 0 })
    })

    answers('knows a trace of a single span', { spans: [{ id: '9', kind: 'SERVER' }] }, async (reader) => {
      const spans = [summaryOf({ id: '9', kind: 'SERVER' })]
      expect(await reader.traceSpans(TRACE, 10)).toEqual({ spans, totalCount: 1 })
    })

    const childrenFirst: SpanLiteral[] = [
      { id: 'c', parent: 'b', atMs: 2, service: 'cart' },
      { id: 'd', parent: 'b', atMs: 3, service: 'pay', status: 'ERROR' },
      { id: 'b', parent: 'a', atMs: 1, kind: 'CLIENT' },
      { id: 'a', atMs: 0, kind: 'SERVER' },
      { trace: '2', id: 'e', parent: 'a', atMs: 1 },
    ]
    answers('sorts by start what arrived children first', { spans: childrenFirst }, async (reader) => {
      const [c, d, b, a] = childrenFirst.map(summaryOf)
      expect(await reader.traceSpans(TRACE, 10)).toEqual({ spans: [a, b, c, d], totalCount: 4 })
    })

    answers('gives the first spans and the count of all', { spans: childrenFirst }, async (reader) => {
      const { spans, totalCount } = await reader.traceSpans(TRACE, 2)
      expect(idsOf(spans)).toEqual(['a', 'b'])
      expect(totalCount).toBe(4)
    })

    const chain: SpanLiteral[] = ['3', '9', '1', '7'].map((id, index, all) => {
      const parent = all[index - 1]
      return parent === undefined ? { id, atMs: 5 } : { id, parent, atMs: 5 }
    })
    answers('puts parents before children on a tie', { spans: chain.toReversed() }, async (reader) => {
      expect(idsOf((await reader.traceSpans(TRACE, 10)).spans)).toEqual(['3', '9', '1', '7'])
      expect(idsOf((await reader.traceSpans(TRACE, 2)).spans)).toEqual(['3', '9'])
    })

    const siblings: SpanLiteral[] = ['ffffffffffffffff', '7fffffffffffffff', '1', '8000000000000000'].map((id) => ({
      id,
      parent: 'a',
      atMs: 5,
    }))
    answers('sorts siblings on a tie by their id', { spans: [...siblings, { id: 'a' }] }, async (reader) => {
      const expected = ['a', '1', '7fffffffffffffff', '8000000000000000', 'ffffffffffffffff']
      expect(idsOf((await reader.traceSpans(TRACE, 10)).spans)).toEqual(expected)
    })

    const skewed: SpanLiteral[] = [
      { id: '1', parent: '2', atMs: 0 },
      { id: '2', atMs: 1 },
    ]
    answers('lets the start decide where a child is ahead of its parent', { spans: skewed }, async (reader) => {
      expect(idsOf((await reader.traceSpans(TRACE, 10)).spans)).toEqual(['1', '2'])
    })

    const circular: SpanLiteral[] = [
      { id: '1', parent: '1' },
      { id: '2', parent: '3' },
      { id: '3', parent: '2' },
    ]
    answers('lists spans that are their own ancestors once each', { spans: circular }, async (reader) => {
      const { spans, totalCount } = await reader.traceSpans(TRACE, 10)
      expect(idsOf(spans).toSorted()).toEqual(['1', '2', '3'])
      expect(totalCount).toBe(3)
    })

    const hours: SpanLiteral[] = [2, 0, 1].map((hour) => ({ id: `${hour + 1}`, atMs: hour * MS_PER_HOUR }))
    answers('joins a trace that lasted for hours', { spans: hours }, async (reader) => {
      expect(idsOf((await reader.traceSpans(TRACE, 10)).spans)).toEqual(['1', '2', '3'])
      expect(idsOf((await reader.traceSpans(TRACE, 2)).spans)).toEqual(['1', '2'])
      expect((await reader.traceSpans(TRACE, 2)).totalCount).toBe(3)
    })

    const longTraces = Array.from({ length: 6000 }, (_, index): SpanLiteral => {
      return { trace: index % 2 === 0 ? '1' : '2', id: (index + 1).toString(16), atMs: (index * 7919) % 6000 }
    })
    answers('cuts a long trace and counts it whole', { spans: longTraces }, async (reader) => {
      const own = longTraces.filter((span) => span.trace === '1').map(summaryOf)
      const earliest = own.toSorted((a, b) => Number(a.startNs - b.startNs)).slice(0, 2500)
      expect(await reader.traceSpans(TRACE, 2500)).toEqual({ spans: earliest, totalCount: 3000 })
    })

    const spread: SpanLiteral[] = ['0', '8', 'f'].map((first) => {
      return { trace: first.padEnd(31, '0').concat('1'), operation: first }
    })
    answers('tells trace ids apart over their whole range', { spans: spread }, async (reader) => {
      for (const span of spread) {
        const { spans } = await reader.traceSpans(span.trace ?? '', 10)
        expect(spans).toEqual([summaryOf(span)])
      }
    })

    const logOnly = { trace: '1', span: '5', body: 'alone' }
    answers('has no spans of a trace known only by its logs', { logs: [logOnly] }, async (reader) => {
      expect(await reader.traceSpans(TRACE, 10)).toEqual({ spans: [], totalCount: 0 })
      expect(await reader.traceErrorSpans(TRACE, 10)).toEqual([])
      expect(await reader.span(spanIdOf('5'))).toBeUndefined()
      expect(await reader.traceLogs(TRACE, 10)).toEqual([logOf(logOnly)])
    })
  })
}
