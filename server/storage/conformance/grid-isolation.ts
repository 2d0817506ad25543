import { expect, it } from 'vitest'
import type { LogRecord } from '../../domain/log-record.ts'
import type { TelemetryReader } from '../telemetry-store.ts'
import { spanIdOf, traceIdOf } from './column-filling.ts'
import { expectEdges } from './expect-edges.ts'
import { expectFound, filterOf } from './expect-found.ts'
import { expectRequests } from './expect-requests.ts'
import { logOf } from './log-builder.ts'
import { metricPointOf } from './metric-builder.ts'
import { placeOf, spanOf, summaryOf, traceSpanOf } from './span-builder.ts'
import { type Backend, describeWithStore, type Records } from './subject.ts'
import { BASE_NS, DAY_WINDOW, WHOLE_WINDOW } from './test-time.ts'

/** The same ids and times for every owner, told apart by content. */
function recordsOf(owner: string): Required<Records> {
  return {
    spans: [
      { id: '1', kind: 'SERVER', service: owner, operation: owner, status: 'ERROR', attributes: { owner, [owner]: 1 } },
      {
        id: '2',
        parent: '1',
        kind: 'CLIENT',
        service: `${owner}-client`,
        status: 'ERROR',
        attributes: { 'peer.service': owner },
      },
    ],
    logs: [{ id: '1', trace: '1', span: '1', body: owner, attributes: { owner } }],
    points: [{ value: owner.length, description: owner }],
  }
}

async function expectOnly(reader: TelemetryReader, owner: string): Promise<void> {
  const { spans, logs, points } = recordsOf(owner)
  expect(await reader.span(spanIdOf('1'))).toEqual(spanOf(spans[0] ?? {}))
  expect(await reader.traceSpans(traceIdOf('1'), 10)).toEqual({ spans: spans.map(summaryOf), totalCount: 2 })
  expect(await reader.traceErrorSpans(traceIdOf('1'), 10)).toEqual(spans.map(spanOf))
  expect(await reader.traceLogs(traceIdOf('1'), 10)).toEqual(logs.map(logOf))
  expect(await reader.logs(WHOLE_WINDOW, 10)).toEqual(logs.map(logOf))
  await expectFoundLog(reader, logOf(logs[0] ?? {}))
  expect(await reader.metricPoints('queue.length', WHOLE_WINDOW, 10)).toEqual(points.map(metricPointOf))
  await expectFound(reader, {}, ['1/1'])
  expect(await reader.traceFilterOptions(10)).toMatchObject({
    serviceNames: [owner, `${owner}-client`],
    tagKeys: [owner, 'owner', 'peer.service', 'service.name'].toSorted(),
  })
  await expectFiguresOf(reader, owner)
}

async function expectFoundLog(reader: TelemetryReader, log: LogRecord): Promise<void> {
  const asked = { window: WHOLE_WINDOW }
  expect(await reader.searchLogs(asked, { offset: 0, limit: 10 })).toEqual({ items: [log], totalCount: 1 })
  expect(await reader.log(log.id)).toEqual(log)
  expect(await reader.firstLogOfSpan(log.spanId)).toEqual(log)
  const patterns = await reader.logPatterns(asked, 10)
  expect(patterns.map(({ template }) => template)).toEqual([log.body])
  expect(await reader.newestOfPatterns(asked, patterns)).toEqual([log])
  expect((await reader.logFilterOptions(10)).attributeKeys).toEqual(['owner', 'service.name'])
}

async function expectFiguresOf(reader: TelemetryReader, owner: string): Promise<void> {
  const { spans, points } = recordsOf(owner)
  await expectRequests(reader, { [owner]: 1, [`${owner}-client`]: 1 })
  await expectEdges(reader, [`${owner}-client CLIENT ${owner} 1, 1 failed, 1 unanswered`])
  const services = (await reader.serviceSpans(WHOLE_WINDOW)).map((service) => service.serviceName)
  expect(services.toSorted()).toEqual([owner, `${owner}-client`])
  const { resources } = await reader.resourceActivity(WHOLE_WINDOW)
  expect(resources.map((resource) => resource['service.name']).toSorted()).toEqual(services.toSorted())
  expect(await reader.spansOfTraces([traceIdOf('1')], WHOLE_WINDOW, 10)).toEqual(spans.map(traceSpanOf))
  expect(await reader.wholeSpans(spans.map(placeOf))).toEqual(spans.map(spanOf))
  const failed = await reader.failures(WHOLE_WINDOW, undefined, 10)
  expect([...failed.services].map((service) => failed.names[service]).sort()).toEqual(services.toSorted())
  expect((await reader.failures(WHOLE_WINDOW, owner, 10)).names).toContain(owner)
  expect(await reader.sampleSpans(WHOLE_WINDOW, { serviceName: owner }, 10)).toEqual(spans.slice(0, 1).map(spanOf))
  const [logs] = await reader.logCounts(WHOLE_WINDOW)
  expect(logs).toMatchObject({ serviceName: 'shop', recordCount: 1 })
  expect(await reader.pointsOf(['queue.length'], WHOLE_WINDOW, 10)).toEqual(points.map(metricPointOf))
  expect(await reader.metricNames(WHOLE_WINDOW)).toEqual(['queue.length'])
  expect(await reader.firstSpanNs()).toBe(BASE_NS)
  expect((await reader.hourVersions()).map((hour) => hour.hourStartNs)).toEqual([BASE_NS])
}

async function expectNothing(reader: TelemetryReader): Promise<void> {
  expect(await reader.span(spanIdOf('1'))).toBeUndefined()
  expect(await reader.traceSpans(traceIdOf('1'), 10)).toEqual({ spans: [], totalCount: 0 })
  expect(await reader.traceErrorSpans(traceIdOf('1'), 10)).toEqual([])
  expect(await reader.traceLogs(traceIdOf('1'), 10)).toEqual([])
  expect(await reader.logs(WHOLE_WINDOW, 10)).toEqual([])
  expect(await reader.searchLogs({ window: WHOLE_WINDOW }, { offset: 0, limit: 10 })).toEqual({
    items: [],
    totalCount: 0,
  })
  expect(await reader.log(traceIdOf('1'))).toBeUndefined()
  expect(await reader.firstLogOfSpan(spanIdOf('1'))).toBeUndefined()
  expect(await reader.logPatterns({ window: WHOLE_WINDOW }, 10)).toEqual([])
  expect((await reader.logFilterOptions(10)).serviceNames).toEqual([])
  expect(await reader.metricPoints('queue.length', WHOLE_WINDOW, 10)).toEqual([])
  await expectFound(reader, {}, [])
  expect(await reader.traceFilterOptions(10)).toEqual({
    serviceNames: [],
    operationNames: [],
    statusValues: [],
    tagKeys: [],
  })
  expect(await reader.requests({ window: DAY_WINDOW, by: ['service'], latencies: true })).toEqual([])
  expect(await reader.edges(DAY_WINDOW)).toEqual([])
  expect(await reader.serviceSpans(WHOLE_WINDOW)).toEqual([])
  expect(await reader.resourceActivity(WHOLE_WINDOW)).toEqual({ resources: [], rows: [] })
  expect((await reader.failures(WHOLE_WINDOW, undefined, 10)).count).toBe(0)
  expect(await reader.sampleSpans(WHOLE_WINDOW, {}, 10)).toEqual([])
  expect(await reader.spansOfTraces([traceIdOf('1')], WHOLE_WINDOW, 10)).toEqual([])
  expect(await reader.wholeSpans([placeOf({})])).toEqual([])
  expect(await reader.logCounts(WHOLE_WINDOW)).toEqual([])
  const drawn = await reader.drawnTraces(WHOLE_WINDOW, 1, { shapesMax: 10, gapsPerMinute: 10 })
  expect(drawn).toMatchObject({ shapes: [], gaps: [] })
  expect(await reader.sampleLogs(WHOLE_WINDOW, 1, 10)).toEqual([])
  expect(await reader.pointsOf(['queue.length'], WHOLE_WINDOW, 10)).toEqual([])
  expect(await reader.metricNames(WHOLE_WINDOW)).toEqual([])
  expect(await reader.firstSpanNs()).toBeUndefined()
  expect(await reader.hourVersions()).toEqual([])
}

export function describeGridIsolation(backend: Backend): void {
  describeWithStore('keeping Grids apart', backend, (subject) => {
    it('answers each Grid with its own records, though their ids are the same', async () => {
      const [alpha, beta, empty] = [subject.newGrid(), subject.newGrid(), subject.newGrid()]
      const expectApart = () =>
        Promise.all([
          expectOnly(subject.reader(alpha), 'alpha'),
          expectOnly(subject.reader(beta), 'beta'),
          expectNothing(subject.reader(empty)),
        ])
      await subject.write(alpha, recordsOf('alpha'))
      await expectNothing(subject.reader(beta))
      await subject.write(beta, recordsOf('beta'))
      await expectApart()
      await subject.settle()
      await expectApart()
      await Promise.all([subject.write(alpha, recordsOf('alpha')), subject.write(beta, recordsOf('beta'))])
      await expectApart()
      await subject.reopen()
      await expectApart()
    })

    it('sees nothing of another Grid by asking for what only that one has', async () => {
      const [owner, stranger] = [subject.newGrid(), subject.newGrid()]
      await subject.write(owner, recordsOf('secret'))
      await subject.write(stranger, recordsOf('public'))
      await subject.settle()
      const reader = subject.reader(stranger)
      for (const asked of [{ serviceName: 'secret' }, { operationName: 'secret' }, { tags: { owner: 'secret' } }]) {
        expect(await reader.searchTraces(filterOf(asked))).toEqual({ items: [], totalCount: 0 })
      }
      for (const asked of [{ words: ['secret'] }, { attributes: { owner: 'secret' } }, { serviceName: 'secret' }]) {
        const found = await reader.searchLogs({ window: WHOLE_WINDOW, ...asked }, { offset: 0, limit: 10 })
        expect(found).toEqual({ items: [], totalCount: 0 })
      }
    })

    it('takes no other Grid for a name that looks like a condition', async () => {
      const gridId = subject.newGrid()
      await subject.write(gridId, recordsOf('alpha'))
      const reader = subject.reader(subject.newGrid())
      expect(await reader.span(spanIdOf('1'))).toBeUndefined()
      expect(await reader.searchTraces(filterOf({ serviceName: "x' OR '1'='1" }))).toEqual({ items: [], totalCount: 0 })
    })

    it('removes every record of a dropped Grid, and none of another', async () => {
      const [dropped, kept] = [subject.newGrid(), subject.newGrid()]
      await Promise.all([subject.write(dropped, recordsOf('alpha')), subject.write(kept, recordsOf('beta'))])
      await subject.settle()
      const late = { spans: [{ id: 'aa' }], logs: [{ id: 'aa' }], points: [{ atMs: 1 }] }
      await subject.write(dropped, late)
      await subject.store.dropGrid(dropped)
      await expectNothing(subject.reader(dropped))
      await expectOnly(subject.reader(kept), 'beta')
      await subject.reopen()
      await expectNothing(subject.reader(dropped))
      await expectOnly(subject.reader(kept), 'beta')
    })

    it('takes the same records again once their Grid was dropped', async () => {
      const gridId = subject.newGrid()
      await subject.write(gridId, recordsOf('alpha'))
      await subject.settle()
      await subject.store.dropGrid(gridId)
      await subject.write(gridId, recordsOf('beta'))
      await expectOnly(subject.reader(gridId), 'beta')
    })

    it('drops a Grid that never was', async () => {
      await subject.store.dropGrid(subject.newGrid())
    })
  })
}
