import { expect, it } from 'vitest'
import { spanIdOf, traceIdOf } from './column-filling.ts'
import { filterOf } from './expect-found.ts'
import { requestsByService } from './expect-requests.ts'
import { type LogLiteral, logOf } from './log-builder.ts'
import { metricPointOf, type PointLiteral } from './metric-builder.ts'
import { answersWherever } from './placements.ts'
import { type SpanLiteral, spanOf } from './span-builder.ts'
import { type Backend, describeWithStore, type Records, type Subject } from './subject.ts'
import { MS_PER_HOUR, WHOLE_WINDOW } from './test-time.ts'

/** Two of one hour, and one of the next. */
const TIMES_MS = [0, 1, MS_PER_HOUR]
const SPANS: SpanLiteral[] = TIMES_MS.map((atMs, index) => {
  return { id: `${index + 1}`, atMs, kind: 'SERVER', operation: 'first' }
})
const LOGS: LogLiteral[] = TIMES_MS.map((atMs, index) => ({ id: `${index + 1}`, atMs, trace: '1', body: 'first' }))
const POINTS: PointLiteral[] = TIMES_MS.map((atMs, index) => ({ atMs, value: index }))

const FIRST: Records = { spans: SPANS, logs: LOGS, points: POINTS }
/** Known by the same ids and times, but with other content. */
const AGAIN: Records = {
  spans: SPANS.map((span) => ({
    ...span,
    operation: 'again',
    durationMs: 999,
    status: 'ERROR',
    attributes: { again: 1 },
  })),
  logs: LOGS.map((log) => ({ ...log, body: 'again' })),
  points: POINTS.map((point) => ({ ...point, value: 999, description: 'again' })),
}

export function describeDuplicateRecords(backend: Backend): void {
  describeWithStore('taking a record twice', backend, (subject) => {
    const answers = answersWherever(subject)
    const together = {
      spans: [...SPANS, ...(AGAIN.spans ?? [])],
      logs: [...LOGS, ...(AGAIN.logs ?? [])],
      points: [...POINTS, ...(AGAIN.points ?? [])],
    }
    answers('keeps the first of a batch', together, (_reader, gridId) => expectOnlyFirst(subject, gridId))
  })

  describeWithStore('taking a record again later', backend, (subject) => {
    const expectFirstOnly = (gridId: string): Promise<void> => expectOnlyFirst(subject, gridId)

    it('keeps the first where the second comes in another batch', async () => {
      const gridId = subject.newGrid()
      await subject.write(gridId, FIRST)
      await subject.write(gridId, AGAIN)
      await expectFirstOnly(gridId)
      await subject.settle()
      await expectFirstOnly(gridId)
    })

    it('keeps the first where the second comes after it was settled', async () => {
      const gridId = subject.newGrid()
      await subject.write(gridId, FIRST)
      await subject.settle()
      await subject.write(gridId, AGAIN)
      await expectFirstOnly(gridId)
      await subject.settle()
      await expectFirstOnly(gridId)
    })

    it('keeps the first where the second comes cut into other batches', async () => {
      const gridId = subject.newGrid()
      await subject.write(gridId, { spans: SPANS.slice(0, 2), logs: LOGS.slice(0, 2), points: POINTS.slice(0, 2) })
      await subject.settle()
      await subject.write(gridId, { spans: SPANS.slice(2), logs: LOGS.slice(2), points: POINTS.slice(2) })
      await subject.write(gridId, AGAIN)
      await expectFirstOnly(gridId)
    })

    it('keeps one of the copies that come at the same moment', async () => {
      const gridId = subject.newGrid()
      await Promise.all(Array.from({ length: 5 }, () => subject.write(gridId, FIRST)))
      await expectFirstOnly(gridId)
      await subject.settle()
      await expectFirstOnly(gridId)
    })

    it('keeps the first across a restart, whether it was settled or not', async ({ skip }) => {
      skip(!subject.canReopen, 'this backend keeps nothing')
      const unsettled = subject.newGrid()
      const settled = subject.newGrid()
      await subject.write(settled, FIRST)
      await subject.settle()
      await subject.write(unsettled, FIRST)
      await subject.reopen()
      for (const gridId of [unsettled, settled]) {
        await subject.write(gridId, AGAIN)
        await expectFirstOnly(gridId)
      }
      await subject.settle()
      for (const gridId of [unsettled, settled]) await expectFirstOnly(gridId)
    })

    it('takes a span id again in another trace, and a log of the same words under another id', async () => {
      const gridId = subject.newGrid()
      await subject.write(gridId, { spans: [{ trace: 'a' }], logs: [{ id: 'a' }] })
      await subject.write(gridId, { spans: [{ trace: 'b' }], logs: [{ id: 'b' }] })
      expect((await subject.reader(gridId).searchTraces(filterOf())).totalCount).toBe(2)
      expect(await subject.reader(gridId).logs(WHOLE_WINDOW, 10)).toHaveLength(2)
    })
  })
}

async function expectOnlyFirst(subject: Subject, gridId: string): Promise<void> {
  const reader = subject.reader(gridId)
  expect((await reader.traceSpans(traceIdOf('1'), 10)).totalCount).toBe(3)
  for (const span of SPANS) expect(await reader.span(spanIdOf(span.id ?? ''))).toEqual(spanOf(span))
  expect(await reader.traceErrorSpans(traceIdOf('1'), 10)).toEqual([])
  expect((await reader.searchTraces(filterOf({ operationName: 'again' }))).totalCount).toBe(0)
  expect(await reader.traceFilterOptions(10)).toEqual({
    serviceNames: ['shop'],
    operationNames: ['first'],
    statusValues: ['OK'],
    tagKeys: ['service.name'],
  })
  const [requests] = await requestsByService(reader)
  expect(requests).toMatchObject({ requestCount: 3, errorCount: 0, durationNsSum: 30_000_000n })
  expect(await reader.logs(WHOLE_WINDOW, 10)).toEqual(LOGS.map(logOf))
  expect(await reader.traceLogs(traceIdOf('1'), 10)).toEqual(LOGS.map(logOf))
  expect(await reader.metricPoints('queue.length', WHOLE_WINDOW, 10)).toEqual(POINTS.map(metricPointOf))
}
