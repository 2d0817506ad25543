import { expect } from 'vitest'
import type { CallGaps, SpanShape } from '../diagnostics-reader.ts'
import { sayingOf } from '../memory/span-shapes.ts'
import type { TelemetryReader } from '../telemetry-store.ts'
import { traceIdOf } from './column-filling.ts'
import { type LogLiteral, logOf } from './log-builder.ts'
import { answersWherever } from './placements.ts'
import type { SpanLiteral } from './span-builder.ts'
import { type Backend, describeWithStore } from './subject.ts'
import { BASE_NS, DAY_WINDOW, MS_PER_HOUR, WHOLE_WINDOW, windowMs } from './test-time.ts'

const ALL = 1000
const NS_PER_MINUTE = 60_000_000_000n
const HOUR = windowMs(0, MS_PER_HOUR)
const LIMITS = { shapesMax: ALL, gapsPerMinute: ALL }

/** `shop buy: [a, b] 0 x2, 1 x1` are two spans of minute 0 and one of minute 1 that did a and b. */
async function shapesIn(reader: TelemetryReader, window = WHOLE_WINDOW, limits = LIMITS): Promise<string[]> {
  const { startNs, shapes } = await reader.drawnTraces(window, 1, limits)
  const first = Number((startNs - BASE_NS) / NS_PER_MINUTE)
  return shapes
    .map(({ serviceName, operationName, steps, counts }) => {
      const counted = [...counts.entries()].filter(([, count]) => count > 0)
      const byMinute = counted.map(([minute, count]) => `${first + minute} x${count}`).join(', ')
      return `${serviceName} ${operationName}: [${steps.join(', ')}] ${byMinute}`
    })
    .toSorted()
}

function countOf({ counts }: SpanShape): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

export function describeShapeReading(backend: Backend): void {
  describeWithStore('telling what spans did', backend, (subject) => {
    const answers = answersWherever(subject)
    const root = { operation: 'buy', kind: 'SERVER' } as const
    const spans: SpanLiteral[] = [
      { ...root, trace: 'a', id: '1' },
      { trace: 'a', id: '2', parent: '1', operation: 'b', kind: 'CLIENT' },
      { trace: 'a', id: '3', parent: '1', operation: 'a' },
      { trace: 'a', id: '4', parent: '1', operation: 'a' },
      { trace: 'a', id: '5', parent: '1', operation: 'elsewhere', service: 'pay', kind: 'SERVER' },
      { trace: 'a', id: '6', parent: '2', operation: 'below the call', kind: 'INTERNAL' },
      { ...root, trace: 'b', id: '1', atMs: 59_999 },
      { trace: 'b', id: '3', parent: '1', operation: 'a', atMs: 60_001 },
      { trace: 'b', id: '4', parent: '1', operation: 'b', atMs: 60_001, kind: 'PRODUCER' },
      { ...root, trace: 'c', id: '1', atMs: 60_000 },
    ]
    const everyKind = (['INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'] as const).map(
      (kind, i): SpanLiteral => ({ trace: 'a', id: `${i + 1}`, operation: 'do', kind }),
    )
    const takingTurns = ['5', '1', '4', '3'].map(
      (trace, i): SpanLiteral => ({ trace, id: '1', atMs: i < 2 ? 0 : 60_000 }),
    )
    answers('names the steps of a service, each once, and counts who took them', { spans }, async (reader) => {
      expect(await shapesIn(reader)).toEqual([
        'pay elsewhere: [] 0 x1',
        'shop a: [] 0 x2, 1 x1',
        'shop below the call: [] 0 x1',
        'shop buy: [] 1 x1',
        'shop buy: [a, b] 0 x2',
      ])
    })

    answers('counts a step that began after the window', { spans }, async (reader) => {
      expect(await shapesIn(reader, windowMs(59_999, 60_000))).toEqual(['shop buy: [a, b] 0 x1'])
      expect(await shapesIn(reader, windowMs(60_000, 60_000))).toEqual([])
    })

    answers('counts by the minutes that the window touches', { spans }, async (reader) => {
      const { startNs, shapes } = await reader.drawnTraces(windowMs(-1, 60_000.000001), 1, LIMITS)
      expect(startNs).toBe(BASE_NS - NS_PER_MINUTE)
      const bought = shapes.filter(({ operationName }) => operationName === 'buy')
      expect(bought.map(({ steps, counts }) => [steps, [...counts]]).toSorted()).toEqual([
        [[], [0, 0, 1]],
        [
          ['a', 'b'],
          [0, 2, 0],
        ],
      ])
      const whole = await reader.drawnTraces(windowMs(0, 60_000), 1, LIMITS)
      expect(whole.startNs).toBe(BASE_NS)
      expect(new Set(whole.shapes.map(({ counts }) => counts.length))).toEqual(new Set([1]))
    })

    answers('counts spans of every kind together but calls', { spans: everyKind }, async (reader) => {
      expect(await shapesIn(reader)).toEqual(['shop do: [] 0 x3'])
    })

    answers('names the first trace of the last minute', { spans: takingTurns }, async (reader) => {
      const { shapes } = await reader.drawnTraces(WHOLE_WINDOW, 1, LIMITS)
      expect(shapes).toMatchObject([{ traceId: traceIdOf('3') }])
      const earlier = await reader.drawnTraces(windowMs(0, 60_000), 1, LIMITS)
      expect(earlier.shapes).toMatchObject([{ traceId: traceIdOf('1') }])
    })

    answers('leaves out the rarest shapes', { spans }, async (reader) => {
      const atMost = (shapesMax: number) => shapesIn(reader, WHOLE_WINDOW, { ...LIMITS, shapesMax })
      expect(await atMost(1)).toEqual(['shop a: [] 0 x2, 1 x1'])
      expect(await atMost(2)).toEqual(['shop a: [] 0 x2, 1 x1', 'shop buy: [a, b] 0 x2'])
    })

    const many = Array.from({ length: 200 }, (_, i): SpanLiteral => ({ trace: (i + 1).toString(16), id: '1' }))
    const manyLogs = many.map(({ trace = '', id = '' }): LogLiteral => ({ trace, span: id, body: trace }))
    answers(
      'draws whole traces by lot, and their records with them',
      { spans: many, logs: manyLogs },
      async (reader) => {
        const drawn = await reader.drawnTraces(DAY_WINDOW, 4, LIMITS)
        expect(await reader.drawnTraces(DAY_WINDOW, 4, LIMITS)).toEqual(drawn)
        expect(drawn).toMatchObject({ shapes: [expect.anything()], gaps: [] })
        const [shape] = drawn.shapes as [SpanShape]
        expect(countOf(shape)).toBeGreaterThan(20)
        expect(countOf(shape)).toBeLessThan(100)
        const logs = await reader.sampleLogs(DAY_WINDOW, 4, ALL)
        expect(logs).toHaveLength(countOf(shape))
        expect(logs.map(({ traceId }) => traceId)).toContain(shape.traceId)
      },
    )

    const withSteps = Array.from({ length: 640 }, (_, i): SpanLiteral[] => {
      const trace = (i + 1).toString(16)
      return [
        { trace, id: '1', operation: `of ${trace}`, kind: 'SERVER' },
        { trace, id: '2', parent: '1', operation: 'step', kind: 'CLIENT', atMs: 1 },
      ]
    })
    answers(
      'draws few traces whole, and among them those of which fewer are drawn',
      { spans: withSteps.flat() },
      async (reader) => {
        const drawn = async (oneTraceIn: number) => (await reader.drawnTraces(HOUR, oneTraceIn, LIMITS)).shapes
        const [some, few] = [await drawn(16), await drawn(32)]
        expect(some.length).toBeGreaterThan(20)
        expect(some.length).toBeLessThan(80)
        expect(few.length).toBeLessThan(some.length)
        expect(some).toEqual(expect.arrayContaining(few))
        expect(some.every(({ steps }) => steps.join() === 'step')).toBe(true)
      },
    )

    const calls: SpanLiteral[] = [
      { trace: 'a', id: '1', kind: 'CLIENT', durationNs: 100n },
      { trace: 'a', id: '2', parent: '1', service: 'pay', kind: 'SERVER', durationNs: 30n },
      { trace: 'a', id: '3', parent: '1', service: 'pay', kind: 'SERVER', durationNs: 70n, atMs: 1 },
      { trace: 'a', id: '4', parent: '1', service: 'shop', durationNs: 99n },
      { trace: 'b', id: '1', kind: 'CLIENT', durationNs: 10n },
      { trace: 'b', id: '2', parent: '1', service: 'pay', kind: 'SERVER', durationNs: 20n },
      { trace: 'c', id: '1', kind: 'PRODUCER', durationNs: 10n },
      { trace: 'c', id: '2', parent: '1', service: 'mail', kind: 'CONSUMER', durationNs: 1n },
      { trace: 'd', id: '1', kind: 'CLIENT', durationNs: 500n, atMs: 60_000 },
      { trace: 'd', id: '2', parent: '1', service: 'pay', kind: 'INTERNAL', durationNs: 100n, atMs: 60_000 },
    ]
    answers('tells what time calls lost on the way, whatever clocks say', { spans: calls }, async (reader) => {
      const { startNs, gaps } = await reader.drawnTraces(windowMs(-1, 120_000), 1, LIMITS)
      expect(startNs).toBe(BASE_NS - NS_PER_MINUTE)
      expect(gaps).toEqual([
        {
          ...{ sourceName: 'shop', targetName: 'pay', traceId: traceIdOf('d') },
          gapsNs: Float64Array.of(0, 30, 400),
          minutes: Uint32Array.of(1, 1, 2),
        },
      ])
      const few = await reader.drawnTraces(windowMs(0, 120_000), 1, { ...LIMITS, gapsPerMinute: 1 })
      expect(few.gaps).toMatchObject([{ minutes: Uint32Array.of(0, 1), traceId: traceIdOf('d') }])
      expect([0, 30]).toContain(few.gaps[0]?.gapsNs[0])
      expect(few.gaps[0]?.gapsNs[1]).toBe(400)
    })

    const slowest = [900n, 100n, 800n, 800n, 300n].map((durationNs, i): SpanLiteral[] => {
      const shared = { trace: 'badec'[i] as string, atMs: [0, 60_000, 120_000, 120_000, 180_000][i] as number }
      return [
        { ...shared, id: '1', kind: 'CLIENT', durationNs },
        { ...shared, id: '2', parent: '1', service: 'pay', kind: 'SERVER', durationNs: 1n },
      ]
    })
    answers('names the call of the last two minutes that lost most', { spans: slowest.flat() }, async (reader) => {
      const namedIn = async (endMs: number) =>
        (await reader.drawnTraces(windowMs(0, endMs), 1, LIMITS)).gaps[0]?.traceId
      expect(await namedIn(240_000)).toBe(traceIdOf('d'))
      expect(await namedIn(60_001)).toBe(traceIdOf('b'))
      expect(await namedIn(60_000)).toBe(traceIdOf('b'))
    })

    const answeredByMany: SpanLiteral[] = [
      { trace: 'a', id: '1', kind: 'CLIENT', durationNs: 100n },
      ...['pay', 'mail', 'pay', 'mail', 'pay'].map(
        (service, i): SpanLiteral => ({
          trace: 'a',
          id: `${i + 2}`,
          parent: '1',
          service,
          durationNs: BigInt(10 * (i + 1)),
        }),
      ),
    ]
    answers('tells the ways to all who answered a call apart', { spans: answeredByMany }, async (reader) => {
      const { gaps } = await reader.drawnTraces(HOUR, 1, LIMITS)
      expect(gaps.map(({ targetName, gapsNs }) => [targetName, ...gapsNs]).toSorted()).toEqual([
        ['mail', 60],
        ['pay', 50],
      ])
    })

    const busy = Array.from({ length: 120 }, (_, i): SpanLiteral[] => {
      const shared = { trace: (i + 1).toString(16), atMs: i % 3 === 0 ? 60_000 : 0 }
      return [
        { ...shared, id: '1', kind: 'CLIENT', durationNs: BigInt(1000 + i) },
        { ...shared, id: '2', parent: '1', service: 'pay', kind: 'SERVER', durationNs: 1000n },
      ]
    })
    answers('draws gaps of each minute by lot, always the same ones', { spans: busy.flat() }, async (reader) => {
      const gapsOf = async (gapsPerMinute: number) =>
        (await reader.drawnTraces(HOUR, 1, { ...LIMITS, gapsPerMinute })).gaps[0] as CallGaps
      const [all, some] = [await gapsOf(ALL), await gapsOf(30)]
      const pairs = ({ gapsNs, minutes }: CallGaps) => Array.from(gapsNs, (ns, i) => [minutes[i], ns])
      const inOrder = Array.from({ length: 120 }, (_, i) => [i % 3 === 0 ? 1 : 0, i])
      expect(pairs(all)).toEqual(inOrder.toSorted(([a = 0], [b = 0]) => a - b))
      expect([...some.minutes]).toEqual([...Array(30).fill(0), ...Array(30).fill(1)])
      expect(pairs(all)).toEqual(expect.arrayContaining(pairs(some)))
      expect(pairs(some)).toEqual(pairs(some).toSorted(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d))
      expect(new Set(some.gapsNs).size).toBe(60)
      expect(await gapsOf(30)).toEqual(some)
      expect(pairs(some)).toEqual(expect.arrayContaining(pairs(await gapsOf(7))))
      expect(some.traceId).toBe(traceIdOf('78'))
    })

    const logs: LogLiteral[] = [
      { id: '3', trace: 'b', span: '1', body: 'third', atMs: 60_000, attributes: { n: 1 } },
      { id: '1', trace: 'a', span: '3', body: 'first' },
      { id: '2', trace: 'a', span: '404', body: 'second', atMs: 1 },
      { id: '4', body: 'of no trace', atMs: 60_001, severityNumber: 17 },
      { id: '5', body: 'too late', atMs: 120_000 },
    ]
    answers('samples log records with the operation they are from', { spans, logs }, async (reader) => {
      const found = await reader.sampleLogs(windowMs(0, 120_000), 1, ALL)
      expect(found).toEqual(
        [
          { ...logs[1], operationName: 'a' },
          { ...logs[2], operationName: '' },
          { ...logs[0], operationName: 'buy' },
          { ...logs[3], operationName: '' },
        ].map(({ operationName, ...literal }) => ({ ...sayingOf(logOf(literal)), operationName })),
      )
      expect(await reader.sampleLogs(windowMs(0, 120_000), 1, 2)).toHaveLength(2)
      expect(await reader.sampleLogs(windowMs(0, 0), 1, ALL)).toEqual([])
    })
  })
}
