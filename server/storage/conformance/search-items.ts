import { expect } from 'vitest'
import { spanIdOf, traceIdOf } from './column-filling.ts'
import { expectFound, filterOf } from './expect-found.ts'
import { answersWherever } from './placements.ts'
import { type SpanLiteral, summaryOf } from './span-builder.ts'
import { type Backend, describeWithStore } from './subject.ts'
import { MS_PER_HOUR, windowMs } from './test-time.ts'

export function describeSearchItems(backend: Backend): void {
  describeWithStore('searching traces for one item each', backend, (subject) => {
    const answers = answersWherever(subject)

    const skewed: SpanLiteral[] = [
      { trace: 'a', id: '2', parent: '1', atMs: 0, service: 'cart' },
      { trace: 'a', id: '1', atMs: 5, service: 'web' },
      { trace: 'b', id: '4', parent: '9', atMs: 3, service: 'web' },
      { trace: 'b', id: '3', parent: '9', atMs: 2, service: 'cart' },
    ]
    answers('shows the root even if a child is ahead of it', { spans: skewed }, async (reader) => {
      await expectFound(reader, {}, ['a/1', 'b/3'])
    })

    answers('shows the earliest span that matches once anything is asked', { spans: skewed }, async (reader) => {
      await expectFound(reader, { status: 'OK' }, ['b/3', 'a/2'])
      await expectFound(reader, { serviceName: 'web' }, ['a/1', 'b/4'])
      await expectFound(reader, { minDurationMs: 0 }, ['b/3', 'a/2'])
    })

    answers('shows the earliest span where the root is not in the window', { spans: skewed }, async (reader) => {
      await expectFound(reader, { window: windowMs(0, 5) }, ['b/3', 'a/2'])
      await expectFound(reader, { window: windowMs(3, 5) }, ['b/4'])
    })

    const severalRoots: SpanLiteral[] = [
      { trace: 'a', id: '9', atMs: 2 },
      { trace: 'a', id: '5', atMs: 1 },
      { trace: 'a', id: '4', atMs: 1 },
      { trace: 'a', id: '1', parent: '9', atMs: 0 },
    ]
    answers('shows the earliest of several roots, then the smallest id', { spans: severalRoots }, async (reader) => {
      await expectFound(reader, {}, ['a/4'])
      await expectFound(reader, { window: windowMs(2, 3) }, ['a/9'])
    })

    const highIds = ['ffffffffffffffff', '8000000000000000', '7fffffffffffffff']
    const ties: SpanLiteral[] = highIds.map((id) => ({ trace: 'a', id, parent: '1', service: 'web' }))
    answers('shows the smallest id of matching spans on a tie', { spans: ties }, async (reader) => {
      await expectFound(reader, { serviceName: 'web' }, ['a/7fffffffffffffff'])
      await expectFound(reader, {}, ['a/7fffffffffffffff'])
    })

    const long: SpanLiteral[] = [
      { trace: 'a', id: '1', atMs: MS_PER_HOUR - 1, service: 'web' },
      { trace: 'a', id: '2', parent: '1', atMs: MS_PER_HOUR + 2, service: 'web' },
      { trace: 'a', id: '3', parent: '2', atMs: 2 * MS_PER_HOUR + 2, service: 'web', status: 'ERROR' },
      { trace: 'b', id: '4', atMs: MS_PER_HOUR, service: 'web' },
      { trace: 'c', id: '5', atMs: 2 * MS_PER_HOUR + 1, service: 'cart' },
      { trace: 'd', id: '6', atMs: 0, service: 'web' },
      { trace: 'd', id: '7', parent: '6', atMs: 2 * MS_PER_HOUR + 5, service: 'web' },
    ]
    answers('counts a trace of several hours once, by its earliest match', { spans: long }, async (reader) => {
      await expectFound(reader, {}, ['c/5', 'b/4', 'a/1', 'd/6'])
      await expectFound(reader, { serviceName: 'web' }, ['b/4', 'a/1', 'd/6'])
      await expectFound(reader, { status: 'OK' }, ['c/5', 'b/4', 'a/1', 'd/6'])
      await expectFound(reader, { status: 'ERROR' }, ['a/3'])
    })

    answers('looks only at the hours asked for', { spans: long }, async (reader) => {
      await expectFound(reader, { window: windowMs(MS_PER_HOUR, 2 * MS_PER_HOUR) }, ['a/2', 'b/4'])
      await expectFound(reader, { window: windowMs(MS_PER_HOUR, 3 * MS_PER_HOUR) }, ['d/7', 'c/5', 'a/2', 'b/4'])
      await expectFound(reader, { window: windowMs(2 * MS_PER_HOUR, 3 * MS_PER_HOUR) }, ['d/7', 'a/3', 'c/5'])
      await expectFound(reader, { window: windowMs(0, MS_PER_HOUR) }, ['a/1', 'd/6'])
      await expectFound(reader, { window: windowMs(MS_PER_HOUR - 1, MS_PER_HOUR + 1) }, ['b/4', 'a/1'])
    })

    const pages = Array.from({ length: 250 }, (_, index): SpanLiteral[] => {
      const trace = (index + 1).toString(16)
      const atMs = (index % 50) * (MS_PER_HOUR / 25)
      return [
        { trace, id: '1', atMs, service: index % 5 === 0 ? 'rare' : 'web' },
        { trace, id: '2', parent: '1', atMs: atMs + MS_PER_HOUR, service: 'db' },
      ]
    }).flat()
    answers('gives page after page without a gap, and the same count', { spans: pages }, async (reader) => {
      for (const serviceName of ['web', 'rare', 'db']) {
        const found = pages.filter((span) => span.service === serviceName).map(summaryOf)
        const newestFirst = found.toSorted((a, b) => Number(b.startNs - a.startNs) || (a.traceId < b.traceId ? -1 : 1))
        for (const offset of [0, 7, 14, found.length - 3]) {
          const page = await reader.searchTraces(filterOf({ serviceName, offset, limit: 7 }))
          expect(page).toEqual({ items: newestFirst.slice(offset, offset + 7), totalCount: found.length })
        }
      }
    })

    answers('gives an empty page past the end, and the same count', { spans: pages }, async (reader) => {
      expect(await reader.searchTraces(filterOf({ offset: 250 }))).toEqual({ items: [], totalCount: 250 })
      expect(await reader.searchTraces(filterOf({ offset: 1e9, serviceName: 'db' }))).toEqual({
        items: [],
        totalCount: 250,
      })
    })

    const simultaneous = ['ffffffffffffffffffffffffffffffff', '7', '8'.padEnd(32, '0'), 'a', '7'.padEnd(32, 'f')]
    const tied = simultaneous.map((trace): SpanLiteral => ({ trace, atMs: 5, service: 'web' }))
    answers('sorts traces on a tie by their id', { spans: tied }, async (reader) => {
      const sorted = [traceIdOf('7'), traceIdOf('a'), '7'.padEnd(32, 'f'), '8'.padEnd(32, '0'), 'f'.repeat(32)]
      for (const asked of [{}, { serviceName: 'web' }]) {
        const { items } = await reader.searchTraces(filterOf(asked))
        expect(items.map((item) => item.traceId)).toEqual(sorted)
        const page = await reader.searchTraces(filterOf({ ...asked, offset: 1, limit: 2 }))
        expect(page.items.map((item) => item.traceId)).toEqual(sorted.slice(1, 3))
      }
    })

    const shared: SpanLiteral[] = [
      { trace: 'a', id: '1', atMs: 0 },
      { trace: 'b', id: '1', atMs: 1 },
      { trace: 'b', id: '2', parent: '1', atMs: 2, service: 'cart' },
    ]
    answers('keeps traces apart whose spans share ids', { spans: shared }, async (reader) => {
      await expectFound(reader, {}, ['b/1', 'a/1'])
      await expectFound(reader, { serviceName: 'cart' }, ['b/2'])
      expect((await reader.traceSpans(traceIdOf('a'), 10)).spans.map((span) => span.spanId)).toEqual([spanIdOf('1')])
    })
  })
}
