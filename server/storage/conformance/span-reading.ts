import { expect } from 'vitest'
import { SPAN_KINDS } from '../../domain/span.ts'
import { spanIdOf, traceIdOf } from './column-filling.ts'
import { answersWherever } from './placements.ts'
import { type SpanLiteral, spanOf } from './span-builder.ts'
import { type Backend, describeWithStore } from './subject.ts'
import { atNs, BASE_NS, MS_PER_HOUR } from './test-time.ts'

const FULL_SPAN: SpanLiteral = {
  trace: 'f00dfacecafebeef0123456789abcdef',
  id: 'fedcba9876543210',
  parent: '8000000000000001',
  service: 'checkout',
  operation: 'POST /orders/{id}',
  kind: 'SERVER',
  status: 'ERROR',
  statusMessage: 'card declined',
  traceState: 'vendor=value,other=1',
  startNs: BASE_NS + 123_456_789n,
  durationNs: 1_234_567_891n,
  flags: 0x301,
  droppedAttributes: 4_294_967_295,
  attributes: {
    text: 'a "quoted" text',
    empty: '',
    integer: 42,
    negative: -7,
    largest: 9_007_199_254_740_991,
    beyond: '9223372036854775807',
    double: 0.1,
    huge: 1.5e300,
    tiny: 5e-324,
    yes: true,
    no: false,
    nothing: null,
    list: ['a', 1, true, null, ['nested']],
    map: { inner: { deep: [1, 2] }, 'with.dot': 'x' },
    emptyList: [],
    emptyMap: {},
    bytes: 'AAEC/w==',
  },
  resource: { 'host.name': 'web-1', 'process.pid': 4711, tags: ['a', 'b'] },
  scopeName: '@scope/http',
  scopeVersion: '1.2.3-rc.1',
  events: [
    { name: 'exception', timeNs: BASE_NS + 200_000_001n, attributes: { 'exception.type': 'Declined', attempt: 2 } },
    { name: 'retry', timeNs: BASE_NS + 200_000_002n, attributes: {} },
  ],
  links: [
    { traceId: traceIdOf('beef'), spanId: spanIdOf('77'), attributes: { reason: 'batch' } },
    { traceId: traceIdOf('beef'), spanId: spanIdOf('78'), attributes: {} },
  ],
}

export function describeSpanReading(backend: Backend): void {
  describeWithStore('reading a span', backend, (subject) => {
    const answers = answersWherever(subject)

    answers('knows no span where there are none', {}, async (reader) => {
      expect(await reader.span(spanIdOf('1'))).toBeUndefined()
    })

    answers('gives back every field of a span', { spans: [FULL_SPAN] }, async (reader) => {
      expect(await reader.span(spanIdOf('fedcba9876543210'))).toEqual(spanOf(FULL_SPAN))
    })

    answers('gives back a span that says almost nothing', { spans: [{ operation: '' }] }, async (reader) => {
      expect(await reader.span(spanIdOf('1'))).toEqual(spanOf({ operation: '' }))
    })

    const kinds = SPAN_KINDS.map((kind, index): SpanLiteral => ({ id: `${index + 1}`, kind }))
    answers('gives back every kind of span', { spans: kinds }, async (reader) => {
      for (const span of kinds) expect(await reader.span(spanIdOf(span.id ?? ''))).toEqual(spanOf(span))
    })

    const statuses: SpanLiteral[] = [
      { id: '1', status: 'UNSET' },
      { id: '2', status: 'OK' },
      { id: '3', status: 'ERROR' },
    ]
    answers('calls a span an error only where its status says so', { spans: statuses }, async (reader) => {
      expect((await reader.span(spanIdOf('1')))?.status).toBe('OK')
      expect((await reader.span(spanIdOf('2')))?.status).toBe('OK')
      expect((await reader.span(spanIdOf('3')))?.status).toBe('ERROR')
    })

    answers('knows no span by an id that only its parent or a link has', { spans: [FULL_SPAN] }, async (reader) => {
      expect(await reader.span('8000000000000001')).toBeUndefined()
      expect(await reader.span(spanIdOf('77'))).toBeUndefined()
    })

    const ids = ['0000000000000001', '7fffffffffffffff', '8000000000000000', 'ffffffffffffffff']
    const extremes = ids.map((id): SpanLiteral => ({ trace: `${id}${id}`, id, parent: id, operation: id }))
    answers('tells ids apart over their whole range', { spans: extremes }, async (reader) => {
      for (const span of extremes) expect(await reader.span(span.id ?? '')).toEqual(spanOf(span))
    })

    const namesakes: SpanLiteral[] = [
      { trace: 'a', id: '5', atMs: 20, operation: 'newer' },
      { trace: 'b', id: '5', atMs: 10, operation: 'older' },
      { trace: 'c', id: '6', atMs: 0, operation: 'older' },
      { trace: 'd', id: '6', atMs: 2 * MS_PER_HOUR, operation: 'newer, hours later' },
      { trace: 'f', id: '7', atMs: 5, operation: 'greater trace id' },
      { trace: 'e', id: '7', atMs: 5, operation: 'smaller trace id' },
    ]
    answers('takes the newest of the spans that share an id', { spans: namesakes }, async (reader) => {
      expect((await reader.span(spanIdOf('5')))?.operationName).toBe('newer')
      expect((await reader.span(spanIdOf('6')))?.operationName).toBe('newer, hours later')
      expect((await reader.span(spanIdOf('7')))?.operationName).toBe('smaller trace id')
    })

    const distant: SpanLiteral[] = [
      { id: '1', startNs: 1n, durationNs: 0n },
      { id: '2', startNs: BigInt(Date.UTC(1971, 0, 1)) * 1_000_000n },
      { id: '3', startNs: BigInt(Date.UTC(2200, 0, 1)) * 1_000_000n + 1n, durationNs: 86_400_000_000_000n },
      { id: '4', startNs: atNs(MS_PER_HOUR) - 1n },
      { id: '5', startNs: atNs(MS_PER_HOUR) },
    ]
    answers('keeps times to the nanosecond, however far off', { spans: distant }, async (reader) => {
      for (const span of distant) expect(await reader.span(spanIdOf(span.id ?? ''))).toEqual(spanOf(span))
    })

    const many = Array.from({ length: 5000 }, (_, index): SpanLiteral => {
      const service = `service-${index % 7}`
      return { id: (index + 1).toString(16), service, operation: `op ${index}`, attributes: { index } }
    })
    answers('keeps the rows of a large batch apart', { spans: many }, async (reader) => {
      for (const index of [0, 1, 1023, 1024, 2047, 2048, 2049, 4095, 4096, 4999]) {
        const span = many[index] as SpanLiteral
        expect(await reader.span(spanIdOf(span.id ?? ''))).toEqual(spanOf(span))
      }
    })

    const long: SpanLiteral = {
      operation: 'o'.repeat(10_000),
      statusMessage: 'é'.repeat(10_000),
      attributes: { ['k'.repeat(10_000)]: '🙂'.repeat(10_000), text: 'x'.repeat(65_536) },
    }
    answers('keeps long texts whole', { spans: [long] }, async (reader) => {
      expect(await reader.span(spanIdOf('1'))).toEqual(spanOf(long))
    })
  })
}
