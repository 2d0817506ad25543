import { expect } from 'vitest'
import { sayingOf } from '../memory/span-shapes.ts'
import type { TelemetryReader } from '../telemetry-store.ts'
import { traceIdOf } from './column-filling.ts'
import { type LogLiteral, logOf } from './log-builder.ts'
import { answersWherever } from './placements.ts'
import type { SpanLiteral } from './span-builder.ts'
import { type Backend, describeWithStore } from './subject.ts'
import { BASE_NS, WHOLE_WINDOW, windowMs } from './test-time.ts'

const ALL = 1000
const LIMITS = { shapesMax: ALL, gapsPerMinute: ALL }

/** `shop buy SERVER 0: [a, b] x2` are two spans of minute 0 that did a and b. */
async function shapesIn(reader: TelemetryReader, oneTraceIn = 1, window = WHOLE_WINDOW): Promise<string[]> {
  const { shapes } = await reader.drawnTraces(window, oneTraceIn, LIMITS)
  return shapes
    .map(({ serviceName, operationName, kind, minuteNs, steps, spanCount }) => {
      const minute = (minuteNs - BASE_NS) / 60_000_000_000n
      return `${serviceName} ${operationName} ${kind} ${minute}: [${steps.join(', ')}] x${spanCount}`
    })
    .toSorted()
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
    answers('names the steps of a service, each once, and counts who took them', { spans }, async (reader) => {
      expect(await shapesIn(reader)).toEqual(
        [
          'pay elsewhere SERVER 0: [] x1',
          'shop a INTERNAL 0: [] x2',
          'shop a INTERNAL 1: [] x1',
          'shop below the call INTERNAL 0: [] x1',
          'shop buy SERVER 0: [a, b] x2',
          'shop buy SERVER 1: [] x1',
        ].toSorted(),
      )
    })

    answers('counts a step that began after the window', { spans }, async (reader) => {
      expect(await shapesIn(reader, 1, windowMs(59_999, 60_000))).toEqual(['shop buy SERVER 0: [a, b] x1'])
      expect(await shapesIn(reader, 1, windowMs(60_000, 60_000))).toEqual([])
    })

    answers('names a trace, and leaves out the rarest shapes', { spans }, async (reader) => {
      const { shapes } = await reader.drawnTraces(windowMs(0, 60_000), 1, { ...LIMITS, shapesMax: 1 })
      expect(shapes).toMatchObject([{ spanCount: 2, traceId: traceIdOf('a') }])
    })

    const many = Array.from({ length: 200 }, (_, i): SpanLiteral => ({ trace: (i + 1).toString(16), id: '1' }))
    const manyLogs = many.map(({ trace = '', id = '' }): LogLiteral => ({ trace, span: id, body: trace }))
    answers(
      'draws whole traces by lot, and their records with them',
      { spans: many, logs: manyLogs },
      async (reader) => {
        const {
          shapes: [drawn],
        } = await reader.drawnTraces(WHOLE_WINDOW, 4, LIMITS)
        expect(drawn?.spanCount).toBeGreaterThan(20)
        expect(drawn?.spanCount).toBeLessThan(100)
        expect(await reader.drawnTraces(WHOLE_WINDOW, 4, LIMITS)).toEqual({ shapes: [drawn], gaps: [] })
        const logs = await reader.sampleLogs(WHOLE_WINDOW, 4, ALL)
        expect(logs).toHaveLength(drawn?.spanCount ?? 0)
        expect(logs.map(({ traceId }) => traceId)).toContain(drawn?.traceId)
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
        const drawn = async (oneTraceIn: number) => (await reader.drawnTraces(WHOLE_WINDOW, oneTraceIn, LIMITS)).shapes
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
      const { gaps } = await reader.drawnTraces(WHOLE_WINDOW, 1, LIMITS)
      expect(gaps.toSorted((a, b) => Number(a.minuteNs - b.minuteNs))).toEqual([
        {
          ...{ sourceName: 'shop', targetName: 'pay', minuteNs: BASE_NS, callCount: 2, gapsNs: [0, 30] },
          traceId: traceIdOf('a'),
        },
        {
          ...{ sourceName: 'shop', targetName: 'pay', minuteNs: BASE_NS + 60_000_000_000n, callCount: 1 },
          ...{ gapsNs: [400], traceId: traceIdOf('d') },
        },
      ])
      const few = await reader.drawnTraces(windowMs(0, 60_000), 1, { ...LIMITS, gapsPerMinute: 1 })
      expect(few.gaps).toMatchObject([{ callCount: 2, gapsNs: [expect.any(Number)] }])
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
