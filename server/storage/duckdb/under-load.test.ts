import { afterEach, expect, it } from 'vitest'
import { spanIdOf, traceIdOf } from '../conformance/column-filling.ts'
import { SeededRandom } from '../conformance/seeded-random.ts'
import type { Records } from '../conformance/subject.ts'
import { atNs, DAY_WINDOW, MS_PER_HOUR, WHOLE_WINDOW } from '../conformance/test-time.ts'
import type { DuckDbStore } from './duckdb-store.ts'
import { ALL_TRACES, GRID, OTHER_GRID, TestStores, write } from './testing/test-store.ts'

const stores = new TestStores()
afterEach(() => stores.dispose())

const BATCHES = 36
const WRITES_IN_FLIGHT = 3

/** A trace of two spans, which may lie in two hours, a log and a point. All are told by the number. */
function batchOf(number: number, random: SeededRandom): Records {
  const hour = random.below(2)
  const [trace, first, second] = [number, 2 * number, 2 * number + 1].map((id) => (id + 1).toString(16)) as [
    string,
    string,
    string,
  ]
  const laterMs = random.chance(0.3) ? MS_PER_HOUR : 1
  const atMs = hour * MS_PER_HOUR + number
  return {
    spans: [
      { trace, id: first, atMs, kind: 'SERVER', service: `service-${number % 3}` },
      { trace, id: second, parent: first, atMs: atMs + laterMs, service: 'database', status: 'ERROR' },
    ],
    logs: [{ id: trace, trace, atMs, body: String(number) }],
    points: [{ value: number, atMs }],
  }
}

/** What has been acknowledged, and what has been sent at all. */
class Ledger {
  readonly acknowledged = new Set<number>()
  sent = 0

  async write(store: DuckDbStore, number: number, batch: Records): Promise<void> {
    this.sent = Math.max(this.sent, number + 1)
    await write(store, GRID, batch)
    this.acknowledged.add(number)
  }
}

/** Each asks one question and judges its answer: all that was acknowledged before it was asked, once, and nothing unsent. */
const QUESTIONS: ((store: DuckDbStore, ledger: Ledger) => Promise<void>)[] = [
  async (store, ledger) => {
    const least = ledger.acknowledged.size
    const { totalCount, items } = await store.reader(GRID).searchTraces(ALL_TRACES)
    expectBetween(totalCount, least, ledger.sent)
    expect(new Set(items.map(({ traceId }) => traceId)).size).toBe(items.length)
    expectBetween(items.length, Math.min(least, 100), 100)
  },
  async (store, ledger) => {
    const acknowledged = [...ledger.acknowledged].filter((number) => number % 3 === 1).length
    const { totalCount } = await store.reader(GRID).searchTraces({ ...ALL_TRACES, serviceName: 'service-1' })
    expectBetween(totalCount, acknowledged, Math.ceil(ledger.sent / 3))
  },
  async (store, ledger) => {
    const number = [...ledger.acknowledged].at(-1) ?? 0
    const known = ledger.acknowledged.has(number)
    const { spans, totalCount } = await store.reader(GRID).traceSpans(traceIdOf((number + 1).toString(16)), 10)
    if (known) expect([spans.length, totalCount]).toEqual([2, 2])
  },
  async (store, ledger) => {
    const number = [...ledger.acknowledged].at(0) ?? 0
    const known = ledger.acknowledged.has(number)
    const span = await store.reader(GRID).span(spanIdOf((2 * number + 1).toString(16)))
    if (known) expect(span?.serviceName).toBe(`service-${number % 3}`)
  },
  async (store, ledger) => {
    const before = [...ledger.acknowledged]
    const logs = await store.reader(GRID).logs(WHOLE_WINDOW, 1000)
    const found = new Set(logs.map((log) => Number(log.body)))
    expect(found.size).toBe(logs.length)
    expect(before.filter((number) => !found.has(number))).toEqual([])
  },
  async (store, ledger) => {
    const before = ledger.acknowledged.size
    const points = await store.reader(GRID).metricPoints('queue.length', WHOLE_WINDOW, 1000)
    expectBetween(points.length, before, ledger.sent)
  },
  async (store, ledger) => {
    const before = ledger.acknowledged.size
    const groups = await store.reader(GRID).requests({ window: DAY_WINDOW, by: ['service'], latencies: false })
    const requests = groups.reduce((sum, { requestCount }) => sum + requestCount, 0)
    // The database has no entries: it is asked wherever its caller is another service.
    expectBetween(requests, 2 * before, 2 * ledger.sent)
  },
  async (store, ledger) => {
    const before = ledger.acknowledged.size
    const ask = (serviceName?: string) => store.reader(GRID).failures(WHOLE_WINDOW, serviceName, 1000)
    for (const { count, spans } of await Promise.all([ask(), ask('database')])) {
      expectBetween(count, before, ledger.sent)
      expect(new Set(spans).size).toBe(count)
    }
  },
]

function expectBetween(value: number, least: number, most: number): void {
  expect(value).toBeGreaterThanOrEqual(least)
  expect(value).toBeLessThanOrEqual(most)
}

it('answers with all that was acknowledged, once, while files are rotated, sealed, rewritten and removed', async () => {
  const random = new SeededRandom(7)
  const store = await stores.open(await stores.newFolder(), { openRowsMax: 20, attachedFilesMax: 1, threads: 2 })
  const ledger = new Ledger()
  let next = 0
  let writing = true
  const batches = Array.from({ length: BATCHES }, (_, number) => batchOf(number, random))

  const writer = async () => {
    while (next < BATCHES) {
      const number = next++
      await ledger.write(store, number, batches[number] as Records)
      // A record may be sent again, by then sealed or not.
      const again = random.below(number + 1)
      if (random.chance(0.3) && ledger.acknowledged.has(again)) await write(store, GRID, batches[again] as Records)
    }
  }
  const reader = async (first: number) => {
    for (let i = first; writing; i++) await QUESTIONS[i % QUESTIONS.length]?.(store, ledger)
  }
  const keeper = async () => {
    for (let hour = 0; writing; hour++) {
      await write(store, OTHER_GRID, { spans: [{ trace: 'a', id: String(hour + 1), atMs: hour * MS_PER_HOUR }] })
      await store.compact(Date.now())
      await store.expire([
        { gridId: OTHER_GRID, oldestNs: atNs(hour * MS_PER_HOUR), oldestSumsNs: atNs(hour * MS_PER_HOUR) },
      ])
      expect((await store.reader(OTHER_GRID).searchTraces(ALL_TRACES)).totalCount).toBe(1)
    }
  }

  const others = Promise.all([reader(0), reader(3), reader(5), keeper()])
  await Promise.race([Promise.all(Array.from({ length: WRITES_IN_FLIGHT }, writer)), others])
  writing = false
  await others
  await store.settle()
  await store.compact(Date.now())
  expect(ledger.acknowledged.size).toBe(BATCHES)
  for (const ask of QUESTIONS) await ask(store, ledger)
  expect((await store.measure()).unsealedRows).toBe(0)
  expect(stores.warnings).toEqual([])
})
