import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, describe, expect, it } from 'vitest'
import { randomTrace } from '../../conformance/random-spans.ts'
import { inOneOrder } from '../../conformance/same-rows.ts'
import { SeededRandom } from '../../conformance/seeded-random.ts'
import { type SpanLiteral, spanColumnsOf } from '../../conformance/span-builder.ts'
import { DAY_WINDOW, MS_PER_HOUR, windowMs } from '../../conformance/test-time.ts'
import { createMemoryStore } from '../../memory/memory-store.ts'
import type { TelemetryReader } from '../../telemetry-store.ts'
import type { DuckDbStore } from '../duckdb-store.ts'
import { parseHourFileName } from '../layout.ts'
import { GRID, TestStores } from '../testing/test-store.ts'

const MINUTES = 2
const MS_PER_MINUTE = 60_000
/** Parts of single minutes, which are answered from the spans and their corrections, and the sums. */
const WINDOWS = [0, 1].flatMap((hour) =>
  Array.from({ length: MINUTES }, (_, minute) => {
    const startMs = hour * MS_PER_HOUR + minute * MS_PER_MINUTE
    return windowMs(startMs, startMs + MS_PER_MINUTE - 1)
  }),
)

const stores = new TestStores()
afterEach(() => stores.dispose())

async function figures(reader: TelemetryReader, windows = [...WINDOWS, DAY_WINDOW]): Promise<unknown[]> {
  const answers: unknown[] = []
  for (const window of windows) {
    const { resources, rows } = await reader.resourceActivity(window)
    const filter = { 'http.status': '200' }
    answers.push({
      requests: inOneOrder(await reader.requests({ window, by: ['service', 'operation', 'kind'], latencies: true })),
      edges: inOneOrder(await reader.edgeSeries(window, 1000)),
      activity: inOneOrder(rows.map(({ resourceIndex, ...row }) => ({ ...row, resource: resources[resourceIndex] }))),
      steps: inOneOrder(
        await reader.requestSteps({ window, stepMinutes: 1, filter, groupBy: 'user', percentiles: false }),
      ),
    })
  }
  return answers
}

/** A store that answers from its files alone, beside a plain one. */
class Compared {
  readonly plain = createMemoryStore()
  readonly folder: string
  store: DuckDbStore

  private constructor(folder: string, store: DuckDbStore) {
    this.folder = folder
    this.store = store
  }

  static async open(): Promise<Compared> {
    const folder = await stores.newFolder()
    return new Compared(folder, await stores.open(folder, { keptSumsBytes: 0 }))
  }

  async seal(spans: SpanLiteral[]): Promise<void> {
    await this.store.writeSpans(GRID, spanColumnsOf(spans))
    await this.plain.writeSpans(GRID, spanColumnsOf(spans))
    await this.store.settle()
  }

  async compact(): Promise<void> {
    await this.store.compact(Date.now())
  }

  async restart(): Promise<void> {
    await this.store.close()
    this.store = await stores.open(this.folder, { keptSumsBytes: 0 })
  }

  async expectSameFigures(): Promise<void> {
    expect(await figures(this.store.reader(GRID))).toEqual(await figures(this.plain.reader(GRID)))
  }

  /** How many corrections the hours have, of requests and of calls. The store is closed for that. */
  async corrections(): Promise<{ requests: number; calls: number }> {
    await this.store.close()
    const found = { requests: 0, calls: 0 }
    const grid = join(this.folder, 'grids', GRID)
    for (const name of (await readdir(grid)).filter((file) => parseHourFileName(file))) {
      const instance = await DuckDBInstance.create(join(grid, name))
      const connection = await instance.connect()
      const counts = await connection.runAndReadAll(
        'SELECT (SELECT count(*) FROM request_corrections), (SELECT count(*) FROM call_corrections)',
      )
      found.requests += Number(counts.getRows()[0]?.[0])
      found.calls += Number(counts.getRows()[0]?.[1])
      connection.disconnectSync()
      instance.closeSync()
    }
    this.store = await stores.open(this.folder, { keptSumsBytes: 0 })
    return found
  }
}

const SERVER: SpanLiteral = { id: '1', service: 'shop', kind: 'SERVER', durationMs: 9 }
const CALL: SpanLiteral = { id: '2', parent: '1', service: 'shop', kind: 'CLIENT', status: 'ERROR', durationMs: 8 }
const CALLEE: SpanLiteral = { id: '3', parent: '2', service: 'pay', kind: 'SERVER', durationMs: 7 }
const WITHIN: SpanLiteral = { id: '4', parent: '3', service: 'pay', kind: 'SERVER', durationMs: 6 }

describe('corrections of an hour that is compacted', () => {
  it('are in the spans themselves', async () => {
    const compared = await Compared.open()
    for (const span of [WITHIN, CALL, CALLEE, SERVER]) await compared.seal([span])
    expect(await compared.corrections()).toEqual({ requests: 4, calls: 2 })
    await compared.compact()
    expect(await compared.corrections()).toEqual({ requests: 0, calls: 0 })
    await compared.expectSameFigures()
  })

  it.each(['', ', after a restart'])('are made of what the spans say by then%s', async (restarted) => {
    const compared = await Compared.open()
    for (const span of [WITHIN, CALL, CALLEE]) await compared.seal([span])
    await compared.compact()
    if (restarted) await compared.restart()
    await compared.seal([SERVER, { ...CALLEE, id: '5', service: 'tax' }])
    await compared.expectSameFigures()
    await compared.seal([{ ...WITHIN, id: '6', parent: '5', service: 'tax' }])
    await compared.expectSameFigures()
  })

  it('stay where they are about some of the spans that are alike', async () => {
    const compared = await Compared.open()
    const traces = Array.from({ length: 200 }, (_, i) => `${i + 1}`)
    const inEach = (span: SpanLiteral, some = traces) => some.map((trace) => ({ ...span, trace }))
    await compared.seal([...inEach(WITHIN), ...inEach(CALL)])
    await compared.seal([...inEach(CALLEE, traces.slice(50))])
    await compared.compact()
    expect(await compared.corrections()).toEqual({ requests: 300, calls: 300 })
    await compared.expectSameFigures()
    await compared.restart()
    await compared.seal([...inEach(CALLEE, traces.slice(1, 50))])
    await compared.expectSameFigures()
  })

  it('are of the callees that a span has no room for', async () => {
    const compared = await Compared.open()
    await compared.seal([CALL])
    for (const [i, service] of ['pay', 'tax', 'mail'].entries())
      await compared.seal([{ ...CALLEE, id: `${i + 3}`, service }])
    await compared.compact()
    expect(await compared.corrections()).toEqual({ requests: 0, calls: 2 })
    await compared.expectSameFigures()
  })

  it('go with spans that are deleted', async () => {
    const compared = await Compared.open()
    const attributes = { user: 'u1' }
    for (const span of [WITHIN, CALL, CALLEE]) await compared.seal([{ ...span, attributes }])
    await compared.seal([{ ...SERVER, trace: '9' }])
    const match = { attribute: 'user', values: ['u1'], signals: ['traces' as const] }
    for (const hour of await compared.store.settledHours(GRID)) await compared.store.deleteRecords(GRID, hour, match)
    expect(await compared.corrections()).toEqual({ requests: 0, calls: 0 })
    const [window] = WINDOWS
    const requests = await compared.store
      .reader(GRID)
      .requests({ window: window ?? DAY_WINDOW, by: ['service'], latencies: false })
    expect(requests.map(({ serviceName, requestCount }) => [serviceName, requestCount])).toEqual([['shop', 1]])
  })

  it('change no figure, of whatever moment', async () => {
    const random = new SeededRandom(22)
    const inFewMinutes = (span: SpanLiteral): SpanLiteral => {
      const atMs = Math.max(0, span.atMs ?? 0)
      const hour = Math.floor(atMs / MS_PER_HOUR) % 2
      return { ...span, atMs: hour * MS_PER_HOUR + (atMs % (MINUTES * MS_PER_MINUTE)) }
    }
    const traces = Array.from({ length: 600 }, () => randomTrace(random)).filter(
      ({ length }) => length > 1 && length < 9,
    )
    const spans = random.shuffled(traces.flat().map(inFewMinutes))
    const part = (from: number, to: number) => spans.slice((spans.length * from) / 10, (spans.length * to) / 10)
    const compared = await Compared.open()
    for (const tenth of [0, 1, 2, 3, 4]) await compared.seal(part(tenth, tenth + 1))
    const before = await compared.corrections()
    expect(Math.min(before.requests, before.calls)).toBeGreaterThan(10)
    await compared.expectSameFigures()
    await compared.compact()
    await compared.expectSameFigures()
    const after = await compared.corrections()
    expect(after.requests + after.calls).toBeLessThan((before.requests + before.calls) / 4)
    await compared.seal(part(5, 6))
    await compared.expectSameFigures()
    await compared.restart()
    await compared.expectSameFigures()
    for (const step of [6, 6.5, 7, 7.5, 8, 8.5, 9, 9.5]) await compared.seal(part(step, step + 0.5))
    await compared.expectSameFigures()
    await compared.compact()
    await compared.expectSameFigures()
  })
})
