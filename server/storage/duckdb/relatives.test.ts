import { afterEach, describe, expect, it } from 'vitest'
import { spanIdOf, traceIdOf } from '../conformance/column-filling.ts'
import { inOneOrder } from '../conformance/same-rows.ts'
import { type SpanLiteral, spanColumnsOf } from '../conformance/span-builder.ts'
import { DAY_WINDOW, MS_PER_HOUR } from '../conformance/test-time.ts'
import { createMemoryStore } from '../memory/memory-store.ts'
import type { TelemetryReader, TelemetryStore } from '../telemetry-store.ts'
import { GRID, TestStores } from './testing/test-store.ts'

/** More than leave the memory together. */
function between(round: number): SpanLiteral[] {
  return Array.from({ length: 4_200 }, (_, i) => ({ trace: `b${round}b${i}`, id: `b${i}`, service: 'between' }))
}

const link = (trace: string, span: string) => ({ traceId: traceIdOf(trace), spanId: spanIdOf(span), attributes: {} })
const CALL: SpanLiteral = { id: '1', kind: 'CLIENT', status: 'ERROR' }
const ANSWER: SpanLiteral = { id: '2', parent: '1', service: 'pay', kind: 'SERVER' }
const REQUEST: SpanLiteral = { id: '1', kind: 'SERVER' }
const WITHIN: SpanLiteral = { id: '2', parent: '1', kind: 'SERVER', durationMs: 3 }
const SENT: SpanLiteral = { id: '1', kind: 'PRODUCER' }
const TAKEN: SpanLiteral = { id: '2', service: 'mail', kind: 'CONSUMER' }

/** What comes one after another, each in a trace of its own. Consumers are in another, and have a link to it. */
const APART: Record<string, SpanLiteral[][]> = {
  'a callee, and then another': [[CALL], [ANSWER], [{ ...ANSWER, id: '3', service: 'tax' }]],
  'a second callee of the same service': [[CALL, ANSWER], [{ ...ANSWER, id: '3' }]],
  'a caller': [[ANSWER], [CALL]],
  'a request within another': [[REQUEST], [WITHIN]],
  'a request around another': [[WITHIN], [REQUEST]],
  'a request around another, an hour earlier': [[{ ...WITHIN, atMs: MS_PER_HOUR }], [REQUEST]],
  'a callee in the hour after': [[CALL], [{ ...ANSWER, atMs: MS_PER_HOUR }]],
  'a consumer': [[SENT], [TAKEN]],
  'a producer': [[TAKEN], [SENT]],
  'relatives of one that came late itself': [
    [ANSWER],
    [CALL],
    [
      { ...ANSWER, id: '4', service: 'tax' },
      { ...WITHIN, id: '5' },
    ],
  ],
}

/** All that come in one round. Their services are told apart by what they are. */
function roundOf(round: number): SpanLiteral[] {
  return Object.entries(APART).flatMap(([name, rounds], i) => {
    const [trace, another] = [`a${i}`, `c${i}`]
    return (rounds[round] ?? []).map((span) => ({
      ...span,
      service: `${span.service ?? 'shop'}, ${name}`,
      ...(span.kind === 'CONSUMER' ? { trace: another, links: [link(trace, '1')] } : { trace }),
    }))
  })
}

const stores = new TestStores()

afterEach(() => stores.dispose())

async function figures(reader: TelemetryReader): Promise<unknown> {
  const question = { window: DAY_WINDOW, by: ['service', 'operation', 'kind', 'minute'] as const }
  return {
    requests: inOneOrder(await reader.requests({ ...question, by: [...question.by], latencies: false })),
    latencies: inOneOrder(await reader.requests({ window: DAY_WINDOW, by: ['operation'], latencies: true })),
    edges: inOneOrder(await reader.edgeSeries(DAY_WINDOW, 1000)),
    spans: inOneOrder(await reader.serviceSpans(DAY_WINDOW)),
  }
}

async function fill(store: TelemetryStore, oracle: TelemetryStore, afterEachBatch: () => Promise<void>): Promise<void> {
  for (const round of [0, 1, 2])
    for (const literals of [roundOf(round), between(round)]) {
      await store.writeSpans(GRID, spanColumnsOf(literals))
      await oracle.writeSpans(GRID, spanColumnsOf(literals))
      await afterEachBatch()
    }
}

describe('spans whose relatives have left the memory', () => {
  it('are joined to those that come later', async () => {
    const store = await stores.open(await stores.newFolder(), { keptSpans: 0, openRowsMax: 100_000 })
    const oracle = createMemoryStore()
    await fill(store, oracle, () => store.settle())
    expect(await figures(store.reader(GRID))).toEqual(await figures(oracle.reader(GRID)))
  })

  it('are joined while one file after another is sealed', async () => {
    const store = await stores.open(await stores.newFolder(), { keptSpans: 0, openRowsMax: 2_000 })
    const oracle = createMemoryStore()
    await fill(store, oracle, async () => {})
    expect(await figures(store.reader(GRID))).toEqual(await figures(oracle.reader(GRID)))
    await store.settle()
    expect(await figures(store.reader(GRID))).toEqual(await figures(oracle.reader(GRID)))
  })

  it('are joined where they wait, before and after a restart', async () => {
    const folder = await stores.newFolder()
    const oracle = createMemoryStore()
    let store = await stores.open(folder)
    for (const literals of [
      [CALL, WITHIN],
      [ANSWER],
      [
        { ...ANSWER, id: '3', service: 'tax' },
        { ...REQUEST, trace: '7' },
      ],
    ]) {
      await store.writeSpans(GRID, spanColumnsOf(literals))
      await oracle.writeSpans(GRID, spanColumnsOf(literals))
      expect(await figures(store.reader(GRID))).toEqual(await figures(oracle.reader(GRID)))
      await store.close()
      store = await stores.open(folder)
      expect(await figures(store.reader(GRID))).toEqual(await figures(oracle.reader(GRID)))
      await store.settle()
      expect(await figures(store.reader(GRID))).toEqual(await figures(oracle.reader(GRID)))
    }
  })
})
