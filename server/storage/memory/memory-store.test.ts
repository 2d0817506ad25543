import { beforeAll, describe, expect, it } from 'vitest'
import { describeTelemetryStore } from '../conformance/describe-telemetry-store.ts'
import { type SpanLiteral, spanColumnsOf } from '../conformance/span-builder.ts'
import type { TelemetryReader } from '../telemetry-store.ts'
import { createMemoryStore } from './memory-store.ts'

describeTelemetryStore({ name: 'memory', open: async () => ({ store: createMemoryStore() }) })

/** 2026-03-01T10:00:00Z. */
const TEN = 1_772_359_200_000_000_000n
const HOUR = 3_600_000_000_000n
const GRID = '11111111-1111-4111-8111-111111111111'

/** A purchase that takes 80 ms, and one whose payment cannot be reached; the mailer polls its queue. */
const STORY: SpanLiteral[] = [
  { trace: 'a', id: '1', service: 'web', operation: 'POST /buy', kind: 'SERVER', startNs: TEN, durationMs: 80 },
  {
    trace: 'a',
    id: '2',
    parent: '1',
    service: 'web',
    operation: 'pay',
    kind: 'CLIENT',
    startNs: TEN + 1n,
    durationMs: 70,
  },
  {
    trace: 'a',
    id: '3',
    parent: '2',
    service: 'pay',
    operation: '/charge',
    kind: 'SERVER',
    startNs: TEN + 2n,
    durationMs: 60,
  },
  {
    trace: 'b',
    id: '4',
    service: 'web',
    operation: 'POST /buy',
    kind: 'SERVER',
    status: 'ERROR',
    startNs: TEN + HOUR,
    durationMs: 900,
  },
  {
    trace: 'b',
    id: '5',
    parent: '4',
    service: 'web',
    operation: 'pay',
    kind: 'CLIENT',
    status: 'ERROR',
    startNs: TEN + HOUR,
    durationMs: 890,
    attributes: { 'server.address': 'pay', attempts: 3 },
  },
  { trace: 'c', id: '6', service: 'mailer', operation: 'poll', startNs: TEN + HOUR + 5n, durationMs: 3 },
]

/** Worked out on paper: the suite and the store it is tried on cannot be wrong together. */
describe('the store in memory, by hand', () => {
  let reader: TelemetryReader
  beforeAll(async () => {
    const store = createMemoryStore()
    await store.setApdex(GRID, { defaultMs: 70, byService: { pay: 20 } })
    await store.writeSpans(GRID, spanColumnsOf(STORY))
    reader = store.reader(GRID)
  })

  const both = { startNs: TEN, endNs: TEN + 2n * HOUR }
  const second = { startNs: TEN + HOUR, endNs: TEN + 2n * HOUR }

  it('shows one item a trace, newest first', async () => {
    const { items, totalCount } = await reader.searchTraces({ window: both, offset: 0, limit: 2 })
    expect(totalCount).toBe(3)
    expect(items).toEqual([
      {
        traceId: '0000000000000000000000000000000c',
        spanId: '0000000000000006',
        parentSpanId: '',
        serviceName: 'mailer',
        operationName: 'poll',
        kind: 'INTERNAL',
        status: 'OK',
        startNs: 1_772_362_800_000_000_005n,
        durationNs: 3_000_000n,
      },
      {
        traceId: '0000000000000000000000000000000b',
        spanId: '0000000000000004',
        parentSpanId: '',
        serviceName: 'web',
        operationName: 'POST /buy',
        kind: 'SERVER',
        status: 'ERROR',
        startNs: 1_772_362_800_000_000_000n,
        durationNs: 900_000_000n,
      },
    ])
  })

  it('shows the span that matches', async () => {
    const filter = { window: both, minDurationMs: 60, maxDurationMs: 890, offset: 0, limit: 10 }
    const { items } = await reader.searchTraces(filter)
    expect(items.map((item) => item.spanId)).toEqual(['0000000000000005', '0000000000000001'])
    const tagged = await reader.searchTraces({ window: both, tags: { attempts: '3' }, offset: 0, limit: 10 })
    expect(tagged.items.map((item) => item.spanId)).toEqual(['0000000000000005'])
  })

  it('counts requests', async () => {
    const groups = await reader.requests({ window: both, by: ['service'], latencies: true })
    const unnamed = { operationName: '', kind: 'INTERNAL', minuteNs: 0n }
    expect(groups.toSorted((a, b) => (a.serviceName < b.serviceName ? -1 : 1))).toEqual([
      {
        ...unnamed,
        serviceName: 'mailer',
        requestCount: 1,
        errorCount: 0,
        durationNsSum: 3_000_000n,
        satisfiedCount: 1,
        toleratingCount: 0,
        latencies: { exactNs: [3_000_000], buckets: [], counts: [] },
      },
      {
        ...unnamed,
        serviceName: 'pay',
        requestCount: 1,
        errorCount: 0,
        durationNsSum: 60_000_000n,
        satisfiedCount: 0,
        toleratingCount: 1,
        latencies: { exactNs: [60_000_000], buckets: [], counts: [] },
      },
      {
        ...unnamed,
        serviceName: 'web',
        requestCount: 2,
        errorCount: 1,
        durationNsSum: 980_000_000n,
        satisfiedCount: 0,
        toleratingCount: 1,
        latencies: { exactNs: [80_000_000, 900_000_000], buckets: [], counts: [] },
      },
    ])
  })

  it('joins callers and callees, and finds the call that was not answered', async () => {
    const toPay = { sourceName: 'web', targetName: 'pay', targetIsService: true, kind: 'CLIENT' }
    expect(await reader.edges(both)).toEqual([
      {
        ...toPay,
        requestCount: 2,
        errorCount: 1,
        durationNsSum: 960_000_000n,
        unansweredErrorCount: 1,
      },
    ])
    expect(await reader.edges(second)).toEqual([
      {
        ...toPay,
        requestCount: 1,
        errorCount: 1,
        durationNsSum: 890_000_000n,
        unansweredErrorCount: 1,
      },
    ])
  })

  it('puts the parent first where both start at once', async () => {
    const { spans } = await reader.traceSpans('0000000000000000000000000000000b', 10)
    expect(spans.map((span) => span.spanId)).toEqual(['0000000000000004', '0000000000000005'])
  })

  it('lists what can be searched for', async () => {
    expect(await reader.traceFilterOptions(2)).toEqual({
      serviceNames: ['mailer', 'pay', 'web'],
      operationNames: ['POST /buy', 'pay'],
      statusValues: ['OK', 'ERROR'],
      tagKeys: ['attempts', 'service.name'],
    })
  })

  it('answers with copies, so that no caller can alter what is stored', async () => {
    const span = await reader.span('0000000000000005')
    Object.assign(span?.attributes ?? {}, { attempts: 99 })
    expect((await reader.span('0000000000000005'))?.attributes).toEqual({ 'server.address': 'pay', attempts: 3 })
  })
})
