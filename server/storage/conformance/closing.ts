import { describe, expect, it } from 'vitest'
import { StoreUnavailable } from '../../domain/store-errors.ts'
import { spanIdOf, traceIdOf } from './column-filling.ts'
import { filterOf } from './expect-found.ts'
import { logColumnsOf } from './log-builder.ts'
import { metricPointOf } from './metric-builder.ts'
import { placeOf, spanColumnsOf } from './span-builder.ts'
import { type Backend, Subject } from './subject.ts'
import { WHOLE_WINDOW } from './test-time.ts'

export function describeClosing(backend: Backend): void {
  describe('closing', () => {
    it('refuses every later call, also to readers made before', async () => {
      const subject = new Subject(backend)
      await subject.open()
      const gridId = subject.newGrid()
      await subject.write(gridId, { spans: [{}] })
      const { store } = subject
      const reader = store.reader(gridId)
      await store.close()
      const calls: (() => Promise<unknown>)[] = [
        () => store.writeSpans(gridId, spanColumnsOf([{}])),
        () => store.writeLogs(gridId, logColumnsOf([{}])),
        () => store.writeMetrics(gridId, [metricPointOf({})]),
        () => store.expire([{ gridId, oldestNs: 0n, oldestSumsNs: 0n }]),
        () => store.setApdex(gridId, { defaultMs: 500, byService: {} }),
        () => store.dropGrid(gridId),
        () => store.settledHours(gridId),
        () => store.deleteRecords(gridId, 0, { attribute: 'a', values: ['b'], signals: ['logs'] }),
        () => store.measure(),
        () => reader.span(spanIdOf('1')),
        () => reader.traceSpans(traceIdOf('1'), 10),
        () => reader.traceErrorSpans(traceIdOf('1'), 10),
        () => reader.traceLogs(traceIdOf('1'), 10),
        () => reader.searchTraces(filterOf()),
        () => reader.traceFilterOptions(10),
        () => reader.searchLogs({ window: WHOLE_WINDOW }, { offset: 0, limit: 10 }),
        () => reader.log(traceIdOf('1')),
        () => reader.firstLogOfSpan(spanIdOf('1')),
        () => reader.logPatterns({ window: WHOLE_WINDOW }, 10),
        () => reader.newestOfPatterns({ window: WHOLE_WINDOW }, []),
        () => reader.logFilterOptions(10),
        () => reader.requests({ window: WHOLE_WINDOW, by: ['service'], latencies: true }),
        () => reader.edges(WHOLE_WINDOW),
        () => reader.serviceSpans(WHOLE_WINDOW),
        () => reader.resourceActivity(WHOLE_WINDOW),
        () => reader.failures(WHOLE_WINDOW, undefined, 10),
        () => reader.sampleSpans(WHOLE_WINDOW, {}, 10),
        () => reader.spansOfTraces([traceIdOf('1')], WHOLE_WINDOW, 10),
        () => reader.wholeSpans([placeOf({})]),
        () => reader.logCounts(WHOLE_WINDOW),
        () => reader.drawnTraces(WHOLE_WINDOW, 1, { shapesMax: 10, gapsPerMinute: 10 }),
        () => reader.sampleLogs(WHOLE_WINDOW, 1, 10),
        () => reader.pointsOf(['queue.length'], WHOLE_WINDOW, 10),
        () => reader.metricNames(WHOLE_WINDOW),
        () => reader.firstSpanNs(),
        () => reader.hourVersions(),
        () => reader.logs(WHOLE_WINDOW, 10),
        () => reader.metricPoints('queue.length', WHOLE_WINDOW, 10),
      ]
      for (const call of calls) await expect(call(), String(call)).rejects.toBeInstanceOf(StoreUnavailable)
      await subject.dispose()
    })

    it('commits what was taken before it closes', async ({ skip }) => {
      const subject = new Subject(backend)
      await subject.open()
      const gridId = subject.newGrid()
      const written = subject.write(gridId, { spans: [{}], logs: [{}], points: [{}] })
      if (subject.canReopen) await subject.reopen()
      await written
      const kept = subject.canReopen ? await subject.reader(gridId).logs(WHOLE_WINDOW, 10) : []
      const span = subject.canReopen ? await subject.reader(gridId).span(spanIdOf('1')) : undefined
      const keeps = subject.canReopen
      await subject.close()
      skip(!keeps, 'this backend keeps nothing')
      expect(kept).toHaveLength(1)
      expect(span).toBeDefined()
    })
  })
}
