import { expect, it } from 'vitest'
import { NO_LATENCIES } from '../../domain/latencies.ts'
import { NS_PER_HOUR } from '../../domain/time-window.ts'
import type { RequestGroup, RequestQuestion } from '../diagnostics-reader.ts'
import type { TelemetryReader } from '../telemetry-store.ts'
import { requestsByService } from './expect-requests.ts'
import { answersWherever } from './placements.ts'
import type { SpanLiteral } from './span-builder.ts'
import { type Backend, describeWithStore } from './subject.ts'
import { atNs, BASE_NS, DAY_WINDOW, MS_PER_HOUR, windowMs } from './test-time.ts'

const MINUTE = NS_PER_HOUR / 60n

const SPANS: SpanLiteral[] = [
  { id: '1', kind: 'SERVER', service: 'web', operation: 'GET /', atMs: 0 },
  { id: '2', kind: 'SERVER', service: 'web', operation: 'GET /', atMs: 59_999, status: 'ERROR' },
  { id: '3', kind: 'SERVER', service: 'web', operation: 'POST /', atMs: 60_000 },
  { id: '4', kind: 'CONSUMER', service: 'web', operation: 'GET /', atMs: 60_000 },
  { id: '5', kind: 'SERVER', service: 'pay', operation: 'GET /', atMs: MS_PER_HOUR },
  { id: '6', kind: 'CLIENT', service: 'batch', operation: 'run', atMs: -1 },
]

/** `web SERVER` or the like, and the minute after the base where it is told, with the number of requests. */
function countsOf(groups: RequestGroup[]): string[] {
  return groups.map(({ serviceName, operationName, kind, minuteNs, requestCount }) => {
    const minute = minuteNs === 0n ? '' : String((minuteNs - BASE_NS) / MINUTE)
    return `${[serviceName, operationName, kind, minute].filter(Boolean).join(' ')}: ${requestCount}`
  })
}

async function expectGroups(
  reader: TelemetryReader,
  asked: Partial<RequestQuestion>,
  expected: string[],
): Promise<void> {
  const groups = await reader.requests({ window: DAY_WINDOW, by: [], latencies: false, ...asked })
  expect(countsOf(groups).toSorted()).toEqual(expected.toSorted())
}

export function describeRequestGroups(backend: Backend): void {
  describeWithStore('telling requests apart', backend, (subject) => {
    const answers = answersWherever(subject)

    answers('sums over everything that is not told apart', { spans: SPANS }, async (reader) => {
      const [all, ...others] = await reader.requests({ window: DAY_WINDOW, by: [], latencies: false })
      expect(others).toEqual([])
      expect(all).toEqual({
        serviceName: '',
        operationName: '',
        kind: 'INTERNAL',
        minuteNs: 0n,
        requestCount: 6,
        errorCount: 1,
        durationNsSum: 60_000_000n,
        satisfiedCount: 5,
        toleratingCount: 0,
        latencies: NO_LATENCIES,
      })
    })

    answers('tells each key apart', { spans: SPANS }, async (reader) => {
      await expectGroups(reader, { by: ['service'] }, ['web INTERNAL: 4', 'pay INTERNAL: 1', 'batch INTERNAL: 1'])
      await expectGroups(reader, { by: ['operation'] }, ['GET / INTERNAL: 4', 'POST / INTERNAL: 1', 'run INTERNAL: 1'])
      await expectGroups(reader, { by: ['kind'] }, ['SERVER: 4', 'CONSUMER: 1', 'CLIENT: 1'])
      await expectGroups(reader, { by: ['minute'] }, [
        'INTERNAL -1: 1',
        'INTERNAL 0: 2',
        'INTERNAL 1: 2',
        'INTERNAL 60: 1',
      ])
    })

    answers('tells several keys apart, in whatever order they are named', { spans: SPANS }, async (reader) => {
      await expectGroups(reader, { by: ['kind', 'service'] }, [
        'web SERVER: 3',
        'web CONSUMER: 1',
        'pay SERVER: 1',
        'batch CLIENT: 1',
      ])
      await expectGroups(reader, { by: ['minute', 'kind', 'operation', 'service'] }, [
        'web GET / SERVER 0: 2',
        'web POST / SERVER 1: 1',
        'web GET / CONSUMER 1: 1',
        'pay GET / SERVER 60: 1',
        'batch run CLIENT -1: 1',
      ])
    })

    answers('takes one service, or one kind', { spans: SPANS }, async (reader) => {
      await expectGroups(reader, { serviceName: 'web', by: ['operation'] }, ['GET / INTERNAL: 3', 'POST / INTERNAL: 1'])
      await expectGroups(reader, { kind: 'SERVER', by: ['service'] }, ['web INTERNAL: 3', 'pay INTERNAL: 1'])
      await expectGroups(reader, { kind: 'CLIENT', by: ['kind'] }, ['CLIENT: 1'])
      await expectGroups(reader, { serviceName: 'web', kind: 'CONSUMER' }, ['INTERNAL: 1'])
      await expectGroups(reader, { serviceName: 'nobody' }, [])
      await expectGroups(reader, { kind: 'PRODUCER' }, [])
    })

    const ragged: SpanLiteral[] = [29_999.999999, 30_000, 30_000.000001, 60_000, 120_000, 150_499.999999, 150_500].map(
      (atMs, index) => ({ id: `${index + 1}`, kind: 'SERVER', startNs: atNs(atMs) }),
    )
    answers('cuts the minutes at the ends of a ragged window', { spans: ragged }, async (reader) => {
      const by: RequestQuestion['by'] = ['minute']
      const toTheMs = ['INTERNAL 0: 2', 'INTERNAL 1: 1', 'INTERNAL 2: 2']
      await expectGroups(reader, { by, window: windowMs(30_000, 150_500) }, toTheMs)
      const toTheNs = windowMs(30_000.000001, 150_500.000001)
      await expectGroups(reader, { by, window: toTheNs }, ['INTERNAL 0: 1', 'INTERNAL 1: 1', 'INTERNAL 2: 3'])
      await expectGroups(reader, { by, window: windowMs(30_000, 30_001) }, ['INTERNAL 0: 2'])
      await expectGroups(reader, { by, window: windowMs(60_000, 120_000) }, ['INTERNAL 1: 1'])
      await expectGroups(reader, { by, window: windowMs(150_500, 30_000) }, [])
    })

    answers('has a place for each minute of a ragged window in a series', { spans: ragged }, async (reader) => {
      const [series, ...others] = await reader.requestSeries(windowMs(30_000, 210_000), 'service', 10)
      expect(others).toEqual([])
      expect(series?.requests).toEqual(Float64Array.of(2, 1, 3, 0))
      expect(series?.durationMs).toEqual(Float64Array.of(20, 10, 30, 0))
      expect(await reader.requestSeries(windowMs(150_500, 30_000), 'service', 10)).toEqual([])
    })

    answers('tells the series of services and operations apart', { spans: SPANS }, async (reader) => {
      const told = async (by: 'service' | 'operation') =>
        (await reader.requestSeries(windowMs(0, 120_000), by, 10))
          .map(
            (one) =>
              `${one.serviceName} ${one.operationName}: ${one.requests}, ${one.errors} failed, ${one.content} fine`,
          )
          .toSorted()
      expect(await told('service')).toEqual(['web : 2,2, 1,0 failed, 1,2 fine'])
      expect(await told('operation')).toEqual([
        'web GET /: 2,1, 1,0 failed, 1,1 fine',
        'web POST /: 0,1, 0,0 failed, 0,1 fine',
      ])
      const [busiest, ...others] = await reader.requestSeries(DAY_WINDOW, 'operation', 1)
      expect(others).toEqual([])
      expect(busiest).toMatchObject({ serviceName: 'web', operationName: 'GET /' })
    })
  })

  describeWithStore('judging requests', backend, (subject) => {
    it('judges what comes by the thresholds that were set last', async () => {
      const [gridId, other] = [subject.newGrid(), subject.newGrid()]
      await subject.store.setApdex(gridId, { defaultMs: 1, byService: { web: 1 } })
      await subject.store.setApdex(gridId, { defaultMs: 10, byService: { pay: 2.5 } })
      const spans = ['web', 'pay'].flatMap((service) =>
        [2.5, 10, 10.000001, 40, 40.000001].map((durationMs, index): SpanLiteral => {
          return { id: `${index + 1}`, trace: service === 'web' ? '1' : '2', service, kind: 'SERVER', durationMs }
        }),
      )
      const expectJudged = async (grid: string, counts: [number, number][]) => {
        const groups = await requestsByService(subject.reader(grid))
        expect(groups.map((group) => [group.satisfiedCount, group.toleratingCount])).toEqual(counts)
      }
      for (const grid of [gridId, other]) await subject.write(grid, { spans })
      for (const settled of [false, true]) {
        if (settled) await subject.settle()
        await expectJudged(gridId, [
          [1, 1],
          [2, 2],
        ])
        await expectJudged(other, [
          [5, 0],
          [5, 0],
        ])
      }
    })
  })
}
