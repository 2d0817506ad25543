import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SpanKind } from '../../domain/span.ts'
import { spanIdOf, traceIdOf } from '../conformance/column-filling.ts'
import { logColumnsOf } from '../conformance/log-builder.ts'
import { metricPointOf } from '../conformance/metric-builder.ts'
import { spanColumnsOf } from '../conformance/span-builder.ts'
import { atNs, MS_PER_HOUR, WHOLE_WINDOW } from '../conformance/test-time.ts'
import type { RequestKey } from '../diagnostics-reader.ts'
import type { DuckDbStore } from './duckdb-store.ts'
import { DEFAULT_DUCKDB_OPTIONS } from './options.ts'
import { ALL_TRACES, GRID, namesIn, TestStores, write } from './testing/test-store.ts'

const MIN = -(1n << 63n)
const MAX = (1n << 63n) - 1n
const EVER = { startNs: MIN, endNs: 1n << 63n }

const stores = new TestStores()
let folder: string
let store: DuckDbStore

beforeEach(async () => {
  folder = await stores.newFolder()
  store = await stores.open(folder)
})

afterEach(() => stores.dispose())

describe('times at the edge of what a number can say', () => {
  const TIMES = [MIN, -3_600_000_000_001n, -3_600_000_000_000n, -1n, 0n, 1n, MAX]
  const NEWEST_FIRST = TIMES.map((_, i) => `${TIMES.length - i}`)

  it('are kept, found and sealed in their hours, also across a restart', async () => {
    const spans = TIMES.map((startNs, i) => ({ trace: `${i + 1}`, id: `${i + 1}`, startNs, durationNs: MAX }))
    await store.writeSpans(GRID, spanColumnsOf(spans))
    await store.writeMetrics(
      GRID,
      TIMES.map((timeNs, i) => ({ ...metricPointOf({ value: i }), timeNs })),
    )
    const expectAll = async () => {
      const reader = store.reader(GRID)
      const { items } = await reader.searchTraces({ ...ALL_TRACES, window: EVER })
      expect(items.map(({ traceId }) => traceId)).toEqual(NEWEST_FIRST.map(traceIdOf))
      expect((await reader.metricPoints('queue.length', EVER, 10)).map((point) => point.timeNs)).toEqual(TIMES)
      expect((await reader.span(spanIdOf('4')))?.startNs).toBe(-1n)
      const [service] = await reader.requests({ window: EVER, by: ['service'], latencies: true })
      expect(service === undefined || service.durationNsSum % MAX === 0n).toBe(true)
      expect((await reader.searchTraces({ ...ALL_TRACES, window: { startNs: -1n, endNs: 1n } })).totalCount).toBe(2)
    }
    await expectAll()
    await store.close()
    store = await stores.open(folder)
    await expectAll()
    await store.settle()
    await expectAll()
    await write(store, GRID, { spans: [] })
    await store.writeSpans(GRID, spanColumnsOf([{ trace: '1', id: '9', startNs: MIN }]))
    await store.settle()
    await store.compact(Date.now())
    const { totalCount } = await store.reader(GRID).traceSpans(traceIdOf('1'), 10)
    expect(totalCount).toBe(2)
    await store.dropGrid(GRID)
    expect((await store.reader(GRID).searchTraces({ ...ALL_TRACES, window: EVER })).totalCount).toBe(0)
  })
})

describe('durations that add up to more than 64 bits hold', () => {
  it('are added up to the last nanosecond: sealed, compacted, with late ones, and after a restart', async () => {
    const spansFrom = (first: number, count: number) =>
      Array.from({ length: count }, (_, i) => {
        const kind: SpanKind = i % 2 === 0 ? 'SERVER' : 'CLIENT'
        const called = { attributes: { 'peer.service': 'elsewhere' } }
        return { trace: `${first + i}`, id: `${first + i}`, atMs: i, durationNs: MAX - BigInt(i), kind, ...called }
      })
    const sumOf = (spans: { durationNs: bigint }[]) => spans.reduce((sum, { durationNs }) => sum + durationNs, 0n)
    const [early, late] = [spansFrom(10, 10), spansFrom(30, 6)]
    const expectSums = async (spans: typeof early) => {
      const reader = store.reader(GRID)
      const [server, client] = [spans.filter((_, i) => i % 2 === 0), spans.filter((_, i) => i % 2 === 1)]
      for (const by of [['service'], ['service', 'minute']] as RequestKey[][]) {
        const requests = await reader.requests({ window: WHOLE_WINDOW, by, kind: 'SERVER', latencies: true })
        expect(requests.map((group) => group.durationNsSum)).toEqual([sumOf(server)])
      }
      const edges = await reader.edges(WHOLE_WINDOW)
      expect(edges.map(({ durationNsSum, requestCount }) => [durationNsSum, requestCount])).toEqual([
        [sumOf(client), client.length],
      ])
    }
    const restart = async (keptSumsBytes: number) => {
      await store.close()
      store = await stores.open(folder, { keptSumsBytes })
    }
    await store.writeSpans(GRID, spanColumnsOf(early))
    await store.settle()
    await expectSums(early)
    await store.compact(Date.now())
    await restart(0)
    await expectSums(early)
    await store.writeSpans(GRID, spanColumnsOf(late))
    await store.settle()
    await expectSums([...early, ...late])
    await restart(DEFAULT_DUCKDB_OPTIONS.keptSumsBytes)
    await expectSums([...early, ...late])
  })
})

describe('pages', () => {
  const filterOf = (offset: number, limit: number) => ({ ...ALL_TRACES, offset, limit })

  it('lie where they should over hours, open files and ties, and far beyond the last there is nothing', async () => {
    const traces = Array.from({ length: 60 }, (_, i) => `${i + 10}`)
    const spanOf = (trace: string, i: number) => ({ trace, id: trace, atMs: (i % 3) * MS_PER_HOUR })
    await write(store, GRID, { spans: traces.slice(0, 40).map(spanOf) })
    await store.settle()
    await write(store, GRID, { spans: traces.slice(40).map((trace, i) => spanOf(trace, i + 40)) })
    const reader = store.reader(GRID)
    const whole = await reader.searchTraces(filterOf(0, 100))
    expect(whole.totalCount).toBe(60)
    const ids = whole.items.map(({ traceId }) => traceId)
    expect(ids).toHaveLength(60)
    for (const [offset, limit] of [
      [0, 7],
      [7, 7],
      [38, 5],
      [55, 10],
      [60, 10],
      [10 ** 17, 100],
    ] as const) {
      const page = await reader.searchTraces(filterOf(offset, limit))
      expect(page.items.map(({ traceId }) => traceId)).toEqual(ids.slice(offset, offset + limit))
      expect(page.totalCount).toBe(60)
    }
  })
})

describe('a large trace', () => {
  it('is answered up to the limit, and counted whole', async () => {
    const spans = Array.from({ length: 8_000 }, (_, i) => {
      return { trace: 'a', id: (i + 1).toString(16), atMs: i / 1000, status: 'ERROR' as const }
    })
    await store.writeSpans(GRID, spanColumnsOf(spans))
    const reader = store.reader(GRID)
    for (const settle of [false, true]) {
      if (settle) await store.settle()
      const { spans: found, totalCount } = await reader.traceSpans(traceIdOf('a'), 1000)
      expect([found.length, totalCount]).toEqual([1000, 8_000])
      const failed = await reader.traceErrorSpans(traceIdOf('a'), 500)
      expect(failed.map(({ spanId }) => spanId)).toEqual(spans.slice(0, 500).map(({ id }) => spanIdOf(id)))
    }
  })
})

describe('a record that no decoder lets through', () => {
  it('keeps nothing else from being sealed', async () => {
    const broken = spanColumnsOf([{ trace: 'a', id: '1', attributes: { key: 'value' } }])
    broken.attributes.bytes.fill('{'.charCodeAt(0), 0, broken.attributes.byteLength)
    const writes = [store.writeSpans(GRID, broken), write(store, GRID, { spans: [{ trace: 'b', id: '2' }] })]
    await Promise.all(writes)
    expect((await store.reader(GRID).traceFilterOptions(10)).tagKeys).toEqual(['service.name'])
    await store.settle()
    expect(await namesIn(store, GRID)).toEqual(['span a/1', 'span b/2'])
    expect((await store.reader(GRID).traceFilterOptions(10)).tagKeys).toEqual(['service.name'])
    expect(stores.warnings).toEqual([])
  })
})

describe('a Grid', () => {
  it('is refused where its id is none', async () => {
    for (const gridId of ['../../elsewhere', '', GRID.toUpperCase().replaceAll('1', 'A')])
      await expect(write(store, gridId, { spans: [{}] }), gridId).rejects.toThrow("is no Grid's id")
  })
})

describe('many names', () => {
  it('are cut to the most used ones, and services to a bound of their own', async () => {
    const spans = Array.from({ length: 3000 }, (_, i) => {
      return {
        trace: 'a',
        id: (i + 1).toString(16),
        operation: `operation-${i % 2000}`,
        attributes: { [`key-${i}`]: 1 },
      }
    })
    await store.writeSpans(GRID, spanColumnsOf(spans))
    await store.writeLogs(GRID, logColumnsOf([{ body: 'one' }]))
    for (const settle of [false, true]) {
      if (settle) await store.settle()
      const options = await store.reader(GRID).traceFilterOptions(1000)
      expect(options.operationNames).toHaveLength(1000)
      expect(options.operationNames).toEqual(Array.from({ length: 1000 }, (_, i) => `operation-${i}`).sort())
      expect(options.tagKeys).toHaveLength(1000)
      expect(options.tagKeys).toContain('service.name')
    }
  })
})

describe('a window of many hours and services', () => {
  it('is answered within the memory that the database has', async () => {
    await store.close()
    store = await stores.open(folder, { threads: 2, memoryLimitBytes: 160 * 1024 * 1024 })
    const [hours, services] = [25, 45]
    const spans = Array.from({ length: hours * services }, (_, i) => {
      const ids = { trace: (i + 1).toString(16), id: (i + 1).toString(16), kind: 'SERVER' as const }
      return { ...ids, service: `service-${i % services}`, atMs: Math.floor(i / services) * MS_PER_HOUR, durationMs: i }
    })
    await store.writeSpans(GRID, spanColumnsOf(spans))
    await store.settle()
    const window = { startNs: atNs(0), endNs: atNs(hours * MS_PER_HOUR) }
    const groups = await store.reader(GRID).requests({ window, by: ['service', 'operation'], latencies: true })
    expect(groups.map(({ latencies }) => latencies.exactNs?.length)).toEqual(groups.map(() => hours))
    expect(groups).toHaveLength(services)
  })
})

describe('expiry', () => {
  it('waits for no question of another hour, and frees the disk', async () => {
    await write(store, GRID, {
      spans: [
        { trace: 'a', id: '1' },
        { trace: 'b', id: '2', atMs: MS_PER_HOUR },
      ],
    })
    await store.settle()
    const before = (await store.measure()).diskBytes
    await store.expire([{ gridId: GRID, oldestNs: atNs(MS_PER_HOUR), oldestSumsNs: atNs(MS_PER_HOUR) }])
    expect((await store.measure()).diskBytes).toBeLessThan(before)
    expect(await namesIn(store, GRID)).toEqual(['span b/2'])
  })
})
