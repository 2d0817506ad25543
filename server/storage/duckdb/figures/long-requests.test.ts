import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { countOf, percentileMs } from '../../../domain/latencies.ts'
import { type SpanLiteral, spanColumnsOf } from '../../conformance/span-builder.ts'
import { MS_PER_HOUR, windowMs } from '../../conformance/test-time.ts'
import type { RequestGroup, RequestQuestion } from '../../diagnostics-reader.ts'
import { createMemoryStore } from '../../memory/memory-store.ts'
import type { TelemetryStore } from '../../telemetry-store.ts'
import type { DuckDbStore } from '../duckdb-store.ts'
import { Session } from '../engine/session.ts'
import { GRID, OTHER_GRID, TestStores } from '../testing/test-store.ts'

const HOURS = 14
/** From the middle of the first hour to the middle of the last one. */
const WINDOW = windowMs(0.5 * MS_PER_HOUR, (HOURS - 0.5) * MS_PER_HOUR)
const QUESTIONS: RequestQuestion[] = [
  { window: WINDOW, by: ['service'], latencies: true },
  { window: WINDOW, by: ['service', 'operation', 'kind'], latencies: true },
  { window: WINDOW, by: [], latencies: true },
  { window: WINDOW, by: ['operation'], serviceName: 'shop', latencies: true },
  { window: WINDOW, by: ['service'], kind: 'CONSUMER', latencies: false },
]

const stores = new TestStores()
let folder: string
let store: DuckDbStore
let plain: TelemetryStore
let lastId: number

beforeEach(async () => {
  folder = await stores.newFolder()
  store = await stores.open(folder)
  plain = createMemoryStore()
  lastId = 0
  await write(GRID, spansOf('shop', 'SERVER', HOURS * 150))
  await write(GRID, spansOf('cron', 'INTERNAL', HOURS * 3))
  // Few in all, and many in one hour.
  await write(GRID, spansOf('pay', 'CONSUMER', HOURS * 2))
  await write(
    GRID,
    Array.from({ length: 100 }, (_, i) => spanAt('pay', 'CONSUMER', 200 + i / 10)),
  )
  await store.settle()
})
afterEach(async () => {
  vi.restoreAllMocks()
  await stores.dispose()
})

function spansOf(service: string, kind: SpanLiteral['kind'], count: number): SpanLiteral[] {
  return Array.from({ length: count }, (_, i) => spanAt(service, kind, (i * HOURS * 60) / count))
}

function spanAt(service: string, kind: SpanLiteral['kind'], minute: number): SpanLiteral {
  const id = (++lastId).toString(16)
  const status = lastId % 11 === 0 ? 'ERROR' : 'UNSET'
  const operation = `GET /${lastId % 4}`
  const atMs = minute * 60_000
  return { trace: id, id, kind: kind ?? 'SERVER', service, operation, status, atMs, durationMs: (lastId * 37) % 1_000 }
}

async function write(gridId: string, spans: SpanLiteral[]): Promise<void> {
  await store.writeSpans(gridId, spanColumnsOf(spans))
  await plain.writeSpans(gridId, spanColumnsOf(spans))
}

/** Figures of a group, and each of its durations where there are few. */
function lines(groups: RequestGroup[]): string[] {
  return groups
    .map(({ serviceName, operationName, kind, latencies, durationNsSum, ...counts }) => {
      const { requestCount, errorCount, satisfiedCount, toleratingCount } = counts
      const told = latencies.exactNs?.join(' ') ?? `${countOf(latencies)} in buckets`
      const percentiles = [50, 95].map((percent) => percentileMs(latencies, percent).toPrecision(2))
      const sums = [requestCount, errorCount, durationNsSum, satisfiedCount, toleratingCount]
      return `${serviceName} ${operationName} ${kind}: ${sums.join(' ')} ${percentiles.join(' ')} ${told}`
    })
    .sort()
}

/** Twice: the second time from what was kept. */
async function expectSame(gridId = GRID): Promise<void> {
  for (let time = 0; time < 2; time++)
    for (const question of QUESTIONS)
      expect(lines(await store.reader(gridId).requests(question))).toEqual(
        lines(await plain.reader(gridId).requests(question)),
      )
}

describe('requests of many hours', () => {
  it('are the same as in any store, also when they are asked for again', async () => {
    await expectSame()
    const [all] = await store.reader(GRID).requests({ window: WINDOW, by: [], latencies: true })
    expect(all?.latencies.exactNs).toBeUndefined()
  })

  it('are not asked of the database again, but for the ends of the window', async () => {
    const question: RequestQuestion = { window: WINDOW, by: ['operation'], serviceName: 'shop', latencies: false }
    await store.reader(GRID).requests(question)
    const asked = [vi.spyOn(Session.prototype, 'numbers'), vi.spyOn(Session.prototype, 'chunks')]
    await store.reader(GRID).requests(question)
    const statements = asked.flatMap(({ mock }) => mock.calls.map(([sql]) => sql))
    expect(new Set(statements.flatMap((sql) => sql.match(/hour_\d+\./g) ?? [])).size).toBeLessThanOrEqual(2)
  })

  it('have late spans, sealed or not', async () => {
    await expectSame()
    await write(GRID, [spanAt('shop', 'SERVER', 250), spanAt('cron', 'INTERNAL', 255)])
    await expectSame()
    await store.settle()
    await expectSame()
  })

  it('stay the same when hours are rewritten, and when the store is opened anew', async () => {
    await expectSame()
    await store.compact(Date.now())
    await expectSame()
    await store.close()
    store = await stores.open(folder)
    await expectSame()
  })

  it('are those of one Grid', async () => {
    await expectSame()
    await write(OTHER_GRID, [...spansOf('shop', 'SERVER', HOURS * 2), spanAt('other', 'SERVER', 100)])
    await store.settle()
    await expectSame(OTHER_GRID)
    await expectSame()
  })
})
