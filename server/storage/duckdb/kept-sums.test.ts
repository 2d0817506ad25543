import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { countOf } from '../../domain/latencies.ts'
import { randomTrace } from '../conformance/random-spans.ts'
import { SeededRandom } from '../conformance/seeded-random.ts'
import { type SpanLiteral, spanColumnsOf } from '../conformance/span-builder.ts'
import { atNs, DAY_WINDOW, MS_PER_HOUR } from '../conformance/test-time.ts'
import type { RequestGroup } from '../diagnostics-reader.ts'
import type { DuckDbStore } from './duckdb-store.ts'
import { openDuckDbStore } from './open-duckdb-store.ts'
import { DEFAULT_DUCKDB_OPTIONS } from './options.ts'

const GRID = '11111111-1111-4111-8111-111111111111'
const OTHER_GRID = '22222222-2222-4222-8222-222222222222'
const OPTIONS = { ...DEFAULT_DUCKDB_OPTIONS, warn: console.warn }
let folder: string
let store: DuckDbStore

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-sums-'))
  store = await openDuckDbStore({ ...OPTIONS, folder })
})

afterEach(async () => {
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

function spansOfTwoHours(random: SeededRandom, traces: number): SpanLiteral[] {
  const spans = Array.from({ length: traces }, () => randomTrace(random)).flat()
  return random.shuffled(spans.filter(({ atMs = 0 }) => atMs < 2 * MS_PER_HOUR))
}

/** Every figure that is kept as a sum. */
async function figures(gridId = GRID) {
  const reader = store.reader(gridId)
  const requests = await reader.requests({ window: DAY_WINDOW, by: ['service', 'operation'], latencies: true })
  const minutes = await reader.requests({ window: DAY_WINDOW, by: ['service', 'minute'], latencies: true })
  const hours = await reader.requests({
    window: DAY_WINDOW,
    by: ['service', 'minute'],
    stepMinutes: 60,
    latencies: true,
  })
  const edges = await reader.edges(DAY_WINDOW)
  const spans = await reader.serviceSpans(DAY_WINDOW)
  return {
    requests: sorted(requests.map(figuresOf)),
    minutes: sorted(minutes),
    hours: sorted(hours),
    edges: sorted(edges),
    spans: sorted(spans),
  }
}

/** Durations one by one become buckets when their spans are gone, and those of minutes always are. */
function figuresOf({ latencies, ...sums }: RequestGroup): object {
  return { ...sums, count: countOf(latencies) }
}

function sorted(rows: object[]): string[] {
  return rows
    .map((row) => JSON.stringify(row, (_key, value) => (typeof value === 'bigint' ? String(value) : value)))
    .sort()
}

describe('sums', () => {
  it('are the same when an hour is sealed, compacted, and stripped of its records', async () => {
    const random = new SeededRandom(7)
    const spans = spansOfTwoHours(random, 180)
    const half = spans.length / 2
    await store.writeSpans(GRID, spanColumnsOf(spans.slice(0, half)))
    await store.settle()
    await store.writeSpans(GRID, spanColumnsOf(spans.slice(half)))
    const open = await figures()
    await store.settle()
    expect(await figures()).toEqual(open)
    await store.compact(Date.now())
    expect(await figures()).toEqual(open)
    await store.expire([{ gridId: GRID, oldestNs: atNs(20 * MS_PER_HOUR), oldestSumsNs: atNs(-20 * MS_PER_HOUR) }])
    expect((await store.reader(GRID).failures(DAY_WINDOW, undefined, 10)).count).toBe(0)
    expect(await figures()).toEqual(open)
    await store.close()
    store = await openDuckDbStore({ ...OPTIONS, folder })
    expect(await figures()).toEqual(open)
    await store.expire([{ gridId: GRID, oldestNs: atNs(20 * MS_PER_HOUR), oldestSumsNs: atNs(20 * MS_PER_HOUR) }])
    expect(await figures()).toEqual({ requests: [], minutes: [], hours: [], edges: [], spans: [] })
  })

  it.each([0, OPTIONS.keptSumsBytes])(
    'are those of an hour that was never compacted, when spans come late and after a restart: %d bytes kept',
    async (keptSumsBytes) => {
      const random = new SeededRandom(8)
      const spans = spansOfTwoHours(random, 180)
      const [early, late, last] = [spans.slice(0, 300), spans.slice(300, 500), spans.slice(500)]
      const writeBoth = async (some: typeof spans) => {
        for (const gridId of [GRID, OTHER_GRID]) await store.writeSpans(gridId, spanColumnsOf(some))
        await store.settle()
      }
      const restart = async () => {
        await store.close()
        store = await openDuckDbStore({ ...OPTIONS, keptSumsBytes, folder })
      }
      await store.writeSpans(GRID, spanColumnsOf(early))
      await store.settle()
      await store.compact(Date.now())
      await store.writeSpans(OTHER_GRID, spanColumnsOf(early))
      await writeBoth(late)
      expect(last.length).toBeGreaterThan(100)
      expect(await figures()).toEqual(await figures(OTHER_GRID))
      await restart()
      expect(await figures()).toEqual(await figures(OTHER_GRID))
      await writeBoth(last)
      expect(await figures()).toEqual(await figures(OTHER_GRID))
    },
  )
})
