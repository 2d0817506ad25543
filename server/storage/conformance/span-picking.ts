import { expect, it } from 'vitest'
import type { Span, SpanPlace } from '../../domain/span.ts'
import type { TimeWindow } from '../../domain/time-window.ts'
import type { SampleFilter } from '../diagnostics-reader.ts'
import { failuresOf } from '../memory/failures-in.ts'
import { traceIdOf } from './column-filling.ts'
import { failureRows } from './failure-rows.ts'
import { answersWherever } from './placements.ts'
import { inOneOrder } from './same-rows.ts'
import { placeOf, type SpanLiteral, spanOf, traceSpanOf } from './span-builder.ts'
import { type Backend, describeWithStore } from './subject.ts'
import { BASE_NS, MS_PER_HOUR, WHOLE_WINDOW, windowMs } from './test-time.ts'

const short = (id: string): string => id.replace(/^0+/, '')
const idsOf = (spans: Pick<Span, 'traceId' | 'spanId'>[]): string[] =>
  spans.map((span) => `${short(span.traceId)}/${short(span.spanId)}`)

const RICH: SpanLiteral = {
  status: 'ERROR',
  statusMessage: 'no',
  attributes: { a: 1, 'error.type': 'Oops', http_status_code: 503, 'db.name': ["it's", { b: null }] },
  resource: { 'host.name': 'h' },
  events: [
    { name: 'retry', timeNs: BASE_NS, attributes: { of: 'exception' } },
    {
      name: 'exception',
      timeNs: BASE_NS + 1n,
      attributes: { 'exception.type': 'Oops', 'exception.message': 'a "b"', 'exception.stacktrace': 'at x' },
    },
  ],
  links: [{ traceId: traceIdOf('9'), spanId: '0000000000000009', attributes: {} }],
}

const thrown = (type: string, timeNs: bigint) => ({
  name: 'exception',
  timeNs,
  attributes: { 'exception.type': type },
})

export function describeSpanPicking(backend: Backend): void {
  describeWithStore('picking spans to look at', backend, (subject) => {
    const answers = answersWherever(subject)

    const failed: SpanLiteral[] = [
      { ...RICH, trace: 'a', id: '1' },
      { ...RICH, trace: 'a', id: '2', startNs: BASE_NS + 1n },
      { ...RICH, trace: 'b', id: '1', startNs: BASE_NS + 1n, service: 'pay' },
      { ...RICH, trace: 'a', id: '3', startNs: BASE_NS + 1n },
      { ...RICH, trace: 'c', id: '1', atMs: MS_PER_HOUR, kind: 'CLIENT' },
      { ...RICH, trace: 'd', id: '1', atMs: MS_PER_HOUR, status: 'OK' },
      { ...RICH, trace: 'd', id: '2', atMs: MS_PER_HOUR, status: 'UNSET' },
    ]
    answers('lists failed spans with what tells of the failure', { spans: failed }, async (reader) => {
      const told = async (window: TimeWindow, serviceName: string | undefined, limit: number) =>
        failureRows(await reader.failures(window, serviceName, limit))
      const expected = (...indexes: number[]) =>
        failureRows(
          failuresOf(
            indexes.map((index) => spanOf(failed[index] ?? {})),
            WHOLE_WINDOW,
          ),
        )
      expect(await told(WHOLE_WINDOW, undefined, 10)).toEqual(expected(0, 1, 2, 3, 4))
      expect(await told(WHOLE_WINDOW, undefined, 1)).toEqual(expected(4))
      // Those that began together are not told apart by a limit.
      expect(await told(WHOLE_WINDOW, undefined, 2)).toEqual(expected(1, 2, 3, 4))
      expect(await told(WHOLE_WINDOW, 'pay', 10)).toEqual(expected(2))
      expect(await told(WHOLE_WINDOW, 'nobody', 10)).toEqual([])
      const first = { startNs: BASE_NS, endNs: BASE_NS + 1n }
      expect(await told(first, undefined, 10)).toMatchObject([{ startNs: 0, traceMates: 1 }])
    })

    answers(
      'tells the exceptions of a failed span in the order in which they were thrown',
      {
        spans: [
          {
            trace: 'a',
            id: '1',
            status: 'ERROR',
            events: [
              thrown('second', 20n),
              thrown('third', 20n),
              { name: 'other', timeNs: 1n, attributes: {} },
              thrown('first', 3n),
            ],
          },
        ],
      },
      async (reader) => {
        const { tellings } = await reader.failures(WHOLE_WINDOW, undefined, 10)
        expect(tellings).toEqual([
          {
            statusMessage: '',
            attributes: {},
            exceptions: ['first', 'second', 'third'].map((type) => ({ type })),
            samples: [[]],
          },
        ])
      },
    )

    answers(
      'takes failures for the same that differ in ids and numbers, and gives samples of those',
      {
        spans: ['order 17 of 3', 'order 18 of 3', 'no order'].map((statusMessage, i) => ({
          trace: `${i + 1}`,
          id: '1',
          status: 'ERROR' as const,
          statusMessage,
          events: [thrown(`Oops${i > 1 ? '' : ' 5'}`, 1n)],
        })),
      },
      async (reader) => {
        const { tellings, told } = await reader.failures(WHOLE_WINDOW, undefined, 10)
        expect(new Set(told).size).toBe(2)
        expect(inOneOrder(tellings.map(({ samples }) => inOneOrder(samples)))).toEqual([
          [
            ['17', '3'],
            ['18', '3'],
          ],
          [[]],
        ])
      },
    )

    const spans: SpanLiteral[] = [
      { ...RICH, trace: 'a', id: '1', kind: 'SERVER', durationNs: 10n },
      { trace: 'a', id: '2', parent: '1', kind: 'CLIENT', operation: 'pay', durationNs: 11n },
      { trace: 'b', id: '1', service: 'pay', kind: 'SERVER', operation: 'pay', durationNs: 12n, atMs: 1 },
      { trace: 'c', id: '1', service: 'pay', kind: 'SERVER', status: 'ERROR', durationNs: 13n, atMs: MS_PER_HOUR },
    ]
    const filters: [SampleFilter, string[]][] = [
      [{}, ['a/1', 'a/2', 'b/1', 'c/1']],
      [{ serviceName: 'pay' }, ['b/1', 'c/1']],
      [{ operationName: 'pay' }, ['a/2', 'b/1']],
      [{ kind: 'SERVER' }, ['a/1', 'b/1', 'c/1']],
      [{ status: 'ERROR' }, ['a/1', 'c/1']],
      [{ status: 'OK' }, ['a/2', 'b/1']],
      [{ minDurationNs: 11n, maxDurationNs: 12n }, ['a/2', 'b/1']],
      [{ minDurationNs: 13n }, ['c/1']],
      [{ maxDurationNs: 10n }, ['a/1']],
      [{ serviceName: 'pay', operationName: 'pay', kind: 'SERVER', status: 'OK', minDurationNs: 12n }, ['b/1']],
      [{ serviceName: 'nobody' }, []],
      [{ minDurationNs: 12n, maxDurationNs: 11n }, []],
    ]
    answers('samples only what matches, whole', { spans }, async (reader) => {
      for (const [filter, ids] of filters) {
        expect(idsOf(await reader.sampleSpans(WHOLE_WINDOW, filter, 10)).toSorted()).toEqual(ids)
      }
      expect(idsOf(await reader.sampleSpans(windowMs(0, 1), {}, 10)).toSorted()).toEqual(['a/1', 'a/2'])
      expect(await reader.sampleSpans(windowMs(1, 1), {}, 10)).toEqual([])
      const [whole] = await reader.sampleSpans(WHOLE_WINDOW, { serviceName: 'shop', kind: 'SERVER' }, 1)
      expect(whole).toEqual(spanOf(spans[0] ?? {}))
    })

    const traces: SpanLiteral[] = [
      { ...RICH, trace: 'b', id: '1', atMs: 5 },
      { trace: 'a', id: '2', parent: '1', atMs: 10, service: 'pay' },
      { trace: 'a', id: '1', atMs: 0, attributes: { a: 1 } },
      { trace: 'c', id: '1', atMs: 0 },
      { trace: 'a', id: '3', startNs: BASE_NS - 3_600_000_000_000n },
      { trace: 'a', id: '4', startNs: BASE_NS - 3_600_000_000_001n },
      { trace: 'a', id: '5', startNs: BASE_NS + 3_600_000_999_999n },
      { trace: 'a', id: '6', startNs: BASE_NS + 3_600_001_000_000n },
    ]
    answers('lists the spans of several traces around a window', { spans: traces }, async (reader) => {
      const asked = ['b', 'a', 'ff', 'a'].map(traceIdOf)
      const all = await reader.spansOfTraces(asked, windowMs(0, 1), 10)
      expect(all).toEqual([4, 2, 1, 6, 0].map((index) => traceSpanOf(traces[index] ?? {})))
      expect(await reader.spansOfTraces(asked, windowMs(0, 1), 3)).toEqual(all.slice(0, 3))
      expect(await reader.spansOfTraces([], windowMs(0, 1), 10)).toEqual([])
      expect(await reader.spansOfTraces([traceIdOf('ff')], windowMs(0, 1), 10)).toEqual([])
      expect(idsOf(await reader.spansOfTraces([traceIdOf('c')], WHOLE_WINDOW, 10))).toEqual(['c/1'])
    })

    const calls: SpanLiteral[] = [
      { id: '1', kind: 'CLIENT', attributes: { 'peer.service': 'pay', 'server.address': 'pay-1' } },
      {
        id: '2',
        kind: 'PRODUCER',
        attributes: { 'messaging.system': 'kafka', 'messaging.destination.name': 'orders' },
      },
      { id: '3', kind: 'CLIENT', attributes: { 'db.system.name': 'redis' }, status: 'ERROR' },
      { id: '4', kind: 'CLIENT', attributes: { a: 1 } },
      { id: '5', kind: 'CLIENT' },
      { id: '6', kind: 'SERVER', attributes: { 'server.address': 'shop' } },
    ]
    answers('knows whom the calls of a trace name', { spans: calls }, async (reader) => {
      const found = await reader.spansOfTraces([traceIdOf('1')], WHOLE_WINDOW, 10)
      expect(found.map(({ called }) => [called.named, called.dependency])).toEqual([
        ['pay', 'pay-1'],
        ['', 'kafka/orders'],
        ['', 'redis'],
        ['', ''],
        ['', ''],
        ['', ''],
      ])
    })

    answers('finds spans whole by where they are', { spans: traces }, async (reader) => {
      const found = async (places: SpanPlace[]) => idsOf(await reader.wholeSpans(places)).toSorted()
      const [rich, child] = [traces[0] ?? {}, traces[1] ?? {}]
      expect(await reader.wholeSpans([placeOf(rich)])).toEqual([spanOf(rich)])
      expect(await found([...traces.map(placeOf), placeOf(rich)])).toEqual(idsOf(traces.map(spanOf)).toSorted())
      expect(await found([{ ...placeOf(child), traceId: traceIdOf('b') }])).toEqual([])
      expect(await found([{ ...placeOf(child), startNs: BASE_NS }])).toEqual([])
      expect(await found([])).toEqual([])
    })

    const long = Array.from({ length: 300 }, (_, index): SpanLiteral => {
      return { trace: (index + 1).toString(16), id: '1', atMs: index * 20_000 }
    })
    answers('lists the spans of many traces', { spans: long }, async (reader) => {
      const asked = long.map((span) => traceIdOf(span.trace ?? ''))
      const found = await reader.spansOfTraces(asked, WHOLE_WINDOW, 1000)
      expect(found.map((span) => span.traceId)).toEqual(asked.toSorted())
    })
  })

  describeWithStore('picking some of many spans', backend, (subject) => {
    it('samples as if by lot, and always the same spans', async () => {
      const gridId = subject.newGrid()
      const many = Array.from({ length: 2000 }, (_, index): SpanLiteral => {
        return { trace: (index + 1).toString(16), id: '1', atMs: index * 3000, durationMs: index }
      })
      await subject.write(gridId, { spans: many.slice(1000) })
      await subject.write(gridId, { spans: many.slice(0, 1000) })
      const sample = async () =>
        idsOf(await subject.reader(gridId).sampleSpans(WHOLE_WINDOW, { maxDurationNs: 1_599_000_000n }, 400)).toSorted()
      const ids = await sample()
      expect(new Set(ids).size).toBe(400)
      const places = ids.map((id) => Number.parseInt(id, 16) - 1)
      expect(places.every((place) => place < 1600)).toBe(true)
      // Of 400 drawn from 1,600, a quarter each; a quarter has 100 ± 45 with near certainty.
      for (const quarter of [0, 1, 2, 3]) {
        const count = places.filter((place) => Math.floor(place / 400) === quarter).length
        expect(Math.abs(count - 100)).toBeLessThan(45)
      }
      expect(await sample()).toEqual(ids)
      await subject.settle()
      expect(await sample()).toEqual(ids)
      await subject.reopen()
      expect(await sample()).toEqual(ids)
    })
  })
}
