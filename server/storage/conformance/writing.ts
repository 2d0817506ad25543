import { expect, it } from 'vitest'
import { LogColumns } from '../../domain/columns/log-columns.ts'
import { SpanColumns } from '../../domain/columns/span-columns.ts'
import type { TextColumn } from '../../domain/columns/text-column.ts'
import { spanIdOf, traceIdOf } from './column-filling.ts'
import { filterOf } from './expect-found.ts'
import { type LogLiteral, logColumnsOf, logOf } from './log-builder.ts'
import { metricPointOf } from './metric-builder.ts'
import { type SpanLiteral, spanColumnsOf, spanOf } from './span-builder.ts'
import { type Backend, describeWithStore } from './subject.ts'
import { MS_PER_HOUR, WHOLE_WINDOW } from './test-time.ts'

export function describeWriting(backend: Backend): void {
  describeWithStore('taking records', backend, (subject) => {
    it('has copied the rows when the call returns: the columns may be filled anew at once', async () => {
      const gridId = subject.newGrid()
      const batches = Array.from({ length: 5 }, (_, batch) => batchOf(batch))
      const spanColumns = new SpanColumns()
      const logColumns = new LogColumns()
      const writes = batches.flatMap(({ spans, logs }) => {
        const written = [
          subject.store.writeSpans(gridId, spanColumnsOf(spans, spanColumns)),
          subject.store.writeLogs(gridId, logColumnsOf(logs, logColumns)),
        ]
        scribbleOver(spanColumns)
        scribbleOver(logColumns)
        return written
      })
      await Promise.all(writes)
      await subject.settle()
      const reader = subject.reader(gridId)
      expect(await reader.logs(WHOLE_WINDOW, 1000)).toEqual(batches.flatMap(({ logs }) => logs.map(logOf)))
      expect((await reader.searchTraces(filterOf())).totalCount).toBe(5)
      for (const span of batches.flatMap(({ spans }) => spans)) {
        expect(await reader.span(spanIdOf(span.id ?? ''))).toEqual(spanOf(span))
      }
    })

    it('has copied metric points when the call returns', async () => {
      const gridId = subject.newGrid()
      const points = [metricPointOf({ value: 1, attributes: { a: 1 } })]
      const written = subject.store.writeMetrics(gridId, points)
      for (const point of points) Object.assign(point, { value: 2, name: 'scribble', timeNs: 0n })
      points.length = 0
      await written
      const expected = [metricPointOf({ value: 1, attributes: { a: 1 } })]
      expect(await subject.reader(gridId).metricPoints('queue.length', WHOLE_WINDOW, 10)).toEqual(expected)
    })

    it('takes batches of nothing', async () => {
      const gridId = subject.newGrid()
      await subject.store.writeSpans(gridId, new SpanColumns())
      await subject.store.writeLogs(gridId, new LogColumns())
      await subject.store.writeMetrics(gridId, [])
      expect((await subject.reader(gridId).searchTraces(filterOf())).totalCount).toBe(0)
    })

    it('shows what was acknowledged in the very next answer, also to a reader made before', async () => {
      const gridId = subject.newGrid()
      const reader = subject.reader(gridId)
      for (const id of ['1', '2', '3', '4', '5']) {
        await subject.write(gridId, {
          spans: [{ id }],
          logs: [{ id, trace: '1' }],
          points: [{ value: Number(id), atMs: Number(id) }],
        })
        expect((await reader.traceSpans(traceIdOf('1'), 10)).totalCount).toBe(Number(id))
        expect(await reader.traceLogs(traceIdOf('1'), 10)).toHaveLength(Number(id))
        expect(await reader.metricPoints('queue.length', WHOLE_WINDOW, 10)).toHaveLength(Number(id))
      }
    })

    it('takes many writes at once, into several Grids', async () => {
      const gridIds = [subject.newGrid(), subject.newGrid(), subject.newGrid()]
      const ids = Array.from({ length: 50 }, (_, index) => (index + 1).toString(16))
      await Promise.all(
        gridIds.flatMap((gridId) => ids.map((id) => subject.write(gridId, { spans: [{ id }], logs: [{ id }] }))),
      )
      for (const gridId of gridIds) {
        expect((await subject.reader(gridId).traceSpans(traceIdOf('1'), 100)).totalCount).toBe(50)
        expect(await subject.reader(gridId).logs(WHOLE_WINDOW, 100)).toHaveLength(50)
      }
    })

    it('answers the same while rows are moved to their final place and others arrive', async () => {
      const gridId = subject.newGrid()
      const spans = Array.from({ length: 300 }, (_, index): SpanLiteral => {
        return { trace: '1', id: (index + 1).toString(16), atMs: (index % 3) * MS_PER_HOUR, operation: 'old' }
      })
      await subject.write(gridId, { spans })
      const settling = subject.settle()
      const writing = subject.write(gridId, { spans: [{ trace: '2', operation: 'new' }] })
      for (let asked = 0; asked < 10; asked++) {
        expect((await subject.reader(gridId).traceSpans(traceIdOf('1'), 10)).totalCount).toBe(300)
        expect((await subject.reader(gridId).searchTraces(filterOf({ operationName: 'old' }))).totalCount).toBe(1)
      }
      await Promise.all([settling, writing])
      expect((await subject.reader(gridId).traceSpans(traceIdOf('1'), 10)).totalCount).toBe(300)
      expect((await subject.reader(gridId).searchTraces(filterOf())).totalCount).toBe(2)
    })

    it('keeps what was acknowledged across a restart, settled or not', async ({ skip }) => {
      skip(!subject.canReopen, 'this backend keeps nothing')
      const gridId = subject.newGrid()
      const { spans, logs } = batchOf(7)
      await subject.write(gridId, { spans: spans.slice(0, 5), logs: logs.slice(0, 5), points: [{ value: 1 }] })
      await subject.settle()
      await subject.write(gridId, { spans: spans.slice(5), logs: logs.slice(5), points: [{ value: 2, atMs: 1 }] })
      for (let restart = 0; restart < 2; restart++) {
        await subject.reopen()
        const reader = subject.reader(gridId)
        for (const span of spans) expect(await reader.span(spanIdOf(span.id ?? ''))).toEqual(spanOf(span))
        expect(await reader.logs(WHOLE_WINDOW, 100)).toEqual(logs.map(logOf))
        const points = await reader.metricPoints('queue.length', WHOLE_WINDOW, 10)
        expect(points.map((point) => point.value)).toEqual([1, 2])
        await subject.settle()
      }
    })

    it('measures itself in figures that can be shown', async () => {
      const gridId = subject.newGrid()
      const before = await subject.store.measure()
      await subject.write(gridId, { spans: [{}] })
      const after = await subject.store.measure()
      expect(after.commits).toBeGreaterThan(before.commits)
      for (const figure of Object.values(after)) expect(Number.isFinite(figure) && figure >= 0).toBe(true)
      await subject.settle()
      expect((await subject.store.measure()).unsealedRows).toBe(0)
    })
  })
}

/** Ten spans of one trace and ten logs, unlike those of any other batch. */
function batchOf(batch: number): { spans: SpanLiteral[]; logs: LogLiteral[] } {
  const rows = Array.from({ length: 10 }, (_, row) => ({ row, text: `batch ${batch}, row ${row}`.repeat(batch + 1) }))
  return {
    spans: rows.map(({ row, text }) => {
      const id = `${batch + 1}${row}`
      return {
        trace: `${batch + 1}`,
        id,
        service: text,
        operation: text,
        attributes: { [text]: text },
        scopeName: text,
      }
    }),
    logs: rows.map(({ row, text }) => ({
      atMs: batch * 10 + row,
      body: text,
      service: text,
      attributes: { [text]: row },
    })),
  }
}

/** What a decoder does before the next batch, and worse. */
function scribbleOver(columns: SpanColumns | LogColumns): void {
  columns.clear()
  for (const column of Object.values(columns) as (ArrayBufferView | TextColumn | unknown)[]) {
    if (ArrayBuffer.isView(column)) new Uint8Array(column.buffer).fill(0xee)
    else if (isText(column)) column.bytes.fill(0xee)
  }
}

function isText(column: unknown): column is TextColumn {
  return typeof column === 'object' && column !== null && 'bytes' in column
}
