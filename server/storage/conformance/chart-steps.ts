import { expect } from 'vitest'
import type { MetricReading, MetricStepQuestion, StepQuestion } from '../chart-reader.ts'
import type { TelemetryReader } from '../telemetry-store.ts'
import type { LogLiteral } from './log-builder.ts'
import type { PointLiteral } from './metric-builder.ts'
import { answersWherever } from './placements.ts'
import type { SpanLiteral } from './span-builder.ts'
import { type Backend, describeWithStore } from './subject.ts'
import { atNs, BASE_NS, MS_PER_HOUR, windowMs } from './test-time.ts'

const MINUTE_MS = 60_000
const ALL: StepQuestion = { window: windowMs(0, 3 * MS_PER_HOUR), stepMinutes: 1, filter: {}, groupBy: '' }

/** `eu 0: 3` is the value 3 of the group `eu` in the step that begins with minute 0 after the base. */
function lines<Step extends { group: string; stepNs: bigint }>(
  steps: Step[],
  value: (step: Step) => unknown,
): string[] {
  return steps.map((step) => `${step.group} ${(step.stepNs - BASE_NS) / 60_000_000_000n}: ${value(step)}`).toSorted()
}

export function describeChartSteps(backend: Backend): void {
  describeWithStore('steps of a chart', backend, (subject) => {
    const answers = answersWherever(subject)

    const spans = [0, 1, 2, 7, 60, 61].flatMap((minute, i): SpanLiteral[] => [
      { trace: `a${i}`, id: `a${i}`, kind: 'SERVER', atMs: minute * MINUTE_MS, durationMs: 10, operation: 'GET' },
      { trace: `b${i}`, id: `b${i}`, kind: 'CONSUMER', atMs: minute * MINUTE_MS, durationMs: 30, service: 'pay' },
    ])
    answers('have the requests of a group', { spans }, async (reader) => {
      const counted = async (asked: Partial<StepQuestion>) =>
        lines(await reader.requestSteps({ ...ALL, percentiles: false, ...asked }), (step) => step.requestCount)
      expect(await counted({ stepMinutes: 60 })).toEqual([' 0: 8', ' 60: 4'])
      expect(await counted({ stepMinutes: 120, groupBy: 'service.name' })).toEqual(['pay 0: 6', 'shop 0: 6'])
      expect(await counted({ stepMinutes: 5, filter: { 'span.name': 'GET' }, groupBy: 'span.kind' })).toEqual([
        'SERVER 0: 3',
        'SERVER 5: 1',
        'SERVER 60: 2',
      ])
      expect(await counted({ stepMinutes: 60, serviceName: 'pay', filter: { 'span.kind': 'SERVER' } })).toEqual([])
      expect(await counted({ filter: { 'span.kind': 'none' } })).toEqual([])
      expect(await counted({ serviceName: 'pay', filter: { 'service.name': 'shop' } })).toEqual([])
    })

    answers('have percentiles within 1 %, where they are asked for', { spans }, async (reader) => {
      const [step] = await reader.requestSteps({ ...ALL, stepMinutes: 1440, percentiles: true })
      expect(Math.abs((step?.p50Ms ?? 0) - 10)).toBeLessThan(0.1)
      expect(Math.abs((step?.p99Ms ?? 0) - 30)).toBeLessThan(0.3)
      const [without] = await reader.requestSteps({ ...ALL, stepMinutes: 1440, percentiles: false })
      expect(without).toMatchObject({ p50Ms: 0, p95Ms: 0, p99Ms: 0, requestCount: 12 })
    })

    const routed = [0, 1, 2, 3].flatMap((i): SpanLiteral[] => [
      // The second one of each trace is no request: it is under another one of its service.
      {
        trace: `c${i}`,
        id: `c${i}`,
        kind: 'SERVER',
        atMs: i,
        durationMs: 10 * (i + 1),
        attributes: { route: i % 2, n: i },
      },
      { trace: `c${i}`, id: `d${i}`, parent: `c${i}`, kind: 'SERVER', atMs: i, attributes: { route: 0 } },
      { trace: `c${i}`, id: `e${i}`, parent: `d${i}`, kind: 'CLIENT', atMs: i, attributes: { route: 0 } },
      {
        trace: `f${i}`,
        id: `f${i}`,
        kind: 'SERVER',
        atMs: 60_000,
        status: 'ERROR',
        resource: { route: 'eu' },
        service: 'pay',
      },
      { trace: `9${i}`, id: `9${i}`, kind: 'INTERNAL', atMs: 60_000, service: 'cron', attributes: { route: 'job' } },
    ])
    answers('tell requests apart by any attribute', { spans: routed }, async (reader) => {
      const asked = { ...ALL, percentiles: true, groupBy: 'route' }
      const steps = async (rest: Partial<StepQuestion> = {}) => await reader.requestSteps({ ...asked, ...rest })
      expect(lines(await steps(), (step) => `${step.requestCount} ${step.errorCount} ${step.durationNsSum}`)).toEqual(
        ['0 0: 2 0 40000000', '1 0: 2 0 60000000', 'eu 1: 4 4 40000000', 'job 1: 4 0 40000000'].toSorted(),
      )
      expect(lines(await steps({ filter: { n: '3' }, groupBy: '' }), (step) => Math.round(step.p95Ms))).toEqual([
        ' 0: 40',
      ])
      expect(lines(await steps({ serviceName: 'pay' }), (step) => step.satisfiedCount)).toEqual(['eu 1: 0'])
      expect(lines(await steps({ filter: { 'span.kind': 'INTERNAL' } }), (step) => step.satisfiedCount)).toEqual([
        'job 1: 4',
      ])
    })

    const logs = [0, 30, 61, 600].flatMap((second, i): LogLiteral[] => [
      { id: `1${i}`, atMs: second * 1000, severityNumber: 17, attributes: { code: 502, 'a/b~c': 'x' } },
      { id: `2${i}`, atMs: second * 1000, attributes: { code: '502' }, resource: { region: 'eu', code: 1 } },
      { id: `3${i}`, atMs: second * 1000, service: 'pay', resource: { region: 'us' } },
    ])
    answers('count log records by any attribute, own ones before those of the resource', { logs }, async (reader) => {
      const counted = async (asked: Partial<StepQuestion>) =>
        lines(await reader.logSteps({ ...ALL, ...asked }), (step) => step.recordCount)
      expect(await counted({})).toEqual([' 0: 6', ' 10: 3', ' 1: 3'].toSorted())
      expect(await counted({ stepMinutes: 60, groupBy: 'code' })).toEqual([' 0: 4', '502 0: 8'])
      expect(await counted({ stepMinutes: 60, groupBy: 'region', filter: { code: '502' } })).toEqual([
        ' 0: 4',
        'eu 0: 4',
      ])
      expect(await counted({ stepMinutes: 60, groupBy: 'severity', serviceName: 'shop' })).toEqual([
        'Error 0: 4',
        'Information 0: 4',
      ])
      expect(await counted({ stepMinutes: 60, groupBy: 'service.name', filter: { 'a/b~c': 'x' } })).toEqual([
        'shop 0: 4',
      ])
      expect(await counted({ filter: { "'; drop table logs; --": '$value0' } })).toEqual([])
    })

    const read = async (reader: TelemetryReader, reading: MetricReading, asked: Partial<MetricStepQuestion> = {}) =>
      lines(await reader.metricSteps({ ...ALL, name: 'm', reading, ...asked }), (step) => Number(step.value.toFixed(6)))

    const gauges = [0, 20, 40, 70].flatMap((second, i): PointLiteral[] => [
      { name: 'm', atMs: second * 1000, value: i, attributes: { pool: 'a' } },
      { name: 'm', atMs: second * 1000, value: 10n * 2n ** 60n, attributes: { pool: 'b' }, service: 'pay' },
      { name: 'other', atMs: second * 1000, value: 1e9 },
    ])
    answers('read numbers', { points: [...gauges, { name: 'm', atMs: 5, value: null, flags: 1 }] }, async (reader) => {
      const shop = { serviceName: 'shop' }
      expect(await read(reader, { of: 'numbers', as: 'average' }, shop)).toEqual([' 0: 1', ' 1: 3'])
      expect(await read(reader, { of: 'numbers', as: 'least' }, shop)).toEqual([' 0: 0', ' 1: 3'])
      expect(await read(reader, { of: 'numbers', as: 'greatest' }, { groupBy: 'pool' })).toEqual([
        'a 0: 2',
        'a 1: 3',
        `b 0: ${10 * 2 ** 60}`,
        `b 1: ${10 * 2 ** 60}`,
      ])
      expect(await read(reader, { of: 'numbers', as: 'total' }, { filter: { pool: 'a' }, stepMinutes: 60 })).toEqual([
        ' 0: 1.5',
      ])
      expect(await read(reader, { of: 'numbers', as: 'average' }, { filter: { pool: 'c' } })).toEqual([])
    })

    answers(
      'add up the series of a total',
      { points: [1, 2, 3].map((value) => ({ name: 'm', value, attributes: { value } })) },
      async (reader) => {
        expect(await read(reader, { of: 'numbers', as: 'total' })).toEqual([' 0: 6'])
        expect(await read(reader, { of: 'numbers', as: 'average' })).toEqual([' 0: 2'])
      },
    )

    const counter = { name: 'm', type: 'sum', monotonic: true, temporality: 'cumulative' } as const
    const counterOf = (values: [second: number, value: number, startSecond?: number][], attributes = {}) =>
      values.map(([second, value, startSecond = -7200]): PointLiteral => {
        return { ...counter, atMs: second * 1000, value, startNs: atNs(startSecond * 1000), attributes }
      })
    const counters = [
      // Grows by 60 a minute, falls to 30 without saying so, and begins anew at 170 s.
      ...counterOf([
        [-30, 100],
        [30, 160],
        [90, 220],
        [150, 30],
        [210, 80, 170],
        [3690, 80 + 3480, 170],
      ]),
      ...counterOf([[65, 55, 10]], { new: true }),
      ...counterOf([[65, 5000]], { unknown: true }),
    ]
    answers('tell how quickly sums grow, also where they begin anew', { points: counters }, async (reader) => {
      const old = { filter: { new: 'true' } }
      expect(await read(reader, { of: 'numbers', as: 'rate' }, old)).toEqual([' 1: 1'])
      expect(await read(reader, { of: 'numbers', as: 'rate' })).toEqual(
        [' 0: 1', ' 1: 2', ' 2: 0.5', ` 3: ${Number((80 / 60).toFixed(6))}`, ' 61: 1'].toSorted(),
      )
    })

    const delta = { ...counter, temporality: 'delta' } as const
    const deltas = [10, 20, 70].map((second): PointLiteral => {
      return { ...delta, atMs: second * 1000, value: 30, startNs: atNs((second - 10) * 1000) }
    })
    answers('tell how quickly sums of deltas grow', { points: deltas }, async (reader) => {
      expect(await read(reader, { of: 'numbers', as: 'rate' })).toEqual([' 0: 3', ' 1: 3'])
    })

    const histogram = (
      second: number,
      counts: number[],
      sum: number,
      rest: Partial<PointLiteral> = {},
    ): PointLiteral => ({
      name: 'm',
      type: 'histogram',
      temporality: 'cumulative',
      atMs: second * 1000,
      startNs: atNs(-7_200_000),
      value: {
        count: counts.reduce((a, b) => a + b, 0),
        ...{ sum, min: null, max: null, explicitBounds: [10, 20, 40], bucketCounts: counts },
      },
      ...rest,
    })
    const restarted = { startNs: atNs(125_000) }
    const histograms = [
      histogram(-10, [5, 0, 0, 0], 25),
      histogram(10, [5, 5, 0, 0], 100),
      histogram(50, [5, 10, 0, 0], 175),
      histogram(110, [5, 10, 10, 0], 475),
      histogram(122, [5, 10, 20, 0], 775),
      histogram(130, [4, 0, 0, 0], 20, restarted),
    ]
    answers('read distributions by what was recorded in a step', { points: histograms }, async (reader) => {
      const percentile = (percent: number): MetricReading => ({ of: 'distributions', as: 'percentile', percent })
      expect(await read(reader, percentile(50))).toEqual([' 0: 15', ' 1: 30', ' 2: 26'])
      expect(await read(reader, { of: 'distributions', as: 'mean' })).toEqual([
        ' 0: 15',
        ' 1: 30',
        ` 2: ${Number((320 / 14).toFixed(6))}`,
      ])
      expect(await read(reader, { of: 'distributions', as: 'rate' })).toEqual([
        ` 0: ${Number((10 / 60).toFixed(6))}`,
        ` 1: ${Number((10 / 60).toFixed(6))}`,
        ` 2: ${Number((14 / 20).toFixed(6))}`,
      ])
      expect(await read(reader, { of: 'numbers', as: 'average' })).toEqual([])
    })

    const deltaHistograms = [10, 20].map((second) =>
      histogram(second, [0, 10, 0, 0], 150, { temporality: 'delta', startNs: atNs((second - 10) * 1000) }),
    )
    answers('read distributions of deltas', { points: deltaHistograms }, async (reader) => {
      expect(await read(reader, { of: 'distributions', as: 'rate' })).toEqual([' 0: 1'])
      expect(await read(reader, { of: 'distributions', as: 'mean' })).toEqual([' 0: 15'])
    })

    const traits = { unit: 's', type: 'sum', temporality: 'cumulative', monotonic: true } as const
    const sparse = [0, 15, 30, 45, 61].map((second): PointLiteral => ({ name: 'm', ...traits, atMs: second * 1000 }))
    answers('know what a metric is, and how often it comes', { points: [...sparse, { name: 'n' }] }, async (reader) => {
      expect(await reader.metricTraits('m', ALL.window)).toEqual({ ...traits, intervalNs: 15_000_000_000n })
      expect(await reader.metricTraits('n', ALL.window)).toMatchObject({
        type: 'gauge',
        intervalNs: 3_600_000_000_000n,
      })
      expect(await reader.metricTraits('none', ALL.window)).toBeUndefined()
      expect(await reader.metricTraits('m', windowMs(-1, 0))).toBeUndefined()
    })
  })
}
