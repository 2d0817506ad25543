import { randomBytes } from 'node:crypto'
import { cp, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { spanIdOf } from '../../conformance/column-filling.ts'
import type { SpanLiteral } from '../../conformance/span-builder.ts'
import { atNs, MS_PER_HOUR, windowMs } from '../../conformance/test-time.ts'
import type { DuckDbStore } from '../duckdb-store.ts'
import { GRID, OTHER_GRID, TestStores, write } from '../testing/test-store.ts'

const SPANS_PER_HOUR = 400
const HOURS = 4
const HOURS_OF_OTHER = 2
/** Long after every hour of these tests. */
const NOW_MS = Number(atNs(100 * MS_PER_HOUR) / 1_000_000n)
const NO_LIMIT = Number.MAX_SAFE_INTEGER

/** Of the folder that every test has a copy of. */
const originals = new TestStores()
const stores = new TestStores()
let original: string
let folder: string
let store: DuckDbStore

beforeAll(async () => {
  original = await originals.newFolder()
  const filled = await originals.open(original)
  await write(filled, GRID, { spans: spansOf(HOURS) })
  await write(filled, OTHER_GRID, { spans: spansOf(HOURS_OF_OTHER) })
  await filled.settle()
  await filled.compact(NOW_MS)
  await filled.close()
})
beforeEach(async () => {
  folder = await stores.newFolder()
  await cp(original, folder, { recursive: true })
  store = await stores.open(folder)
})
afterEach(() => stores.dispose())
afterAll(() => originals.dispose())

/** Hours whose records take much more than their sums, each with a service of its own. */
function spansOf(hours: number): SpanLiteral[] {
  return Array.from({ length: hours * SPANS_PER_HOUR }, (_, i) => {
    const hour = Math.floor(i / SPANS_PER_HOUR)
    return {
      trace: `${i + 1}`,
      id: `${i + 1}`,
      kind: 'SERVER',
      service: `service-${hour}`,
      atMs: hour * MS_PER_HOUR + (i % SPANS_PER_HOUR),
      attributes: { noise: randomBytes(600).toString('base64') },
    }
  })
}

async function hoursWithRecords(gridId: string): Promise<number[]> {
  const reader = store.reader(gridId)
  const counts = await Promise.all(
    Array.from({ length: HOURS }, async (_, hour) => {
      const window = windowMs(hour * MS_PER_HOUR, (hour + 1) * MS_PER_HOUR)
      return (await reader.searchTraces({ window, offset: 0, limit: 1 })).totalCount
    }),
  )
  return counts.flatMap((count, hour) => (count > 0 ? [hour] : []))
}

async function requestsOf(gridId: string, hour: number): Promise<number> {
  const window = windowMs(hour * MS_PER_HOUR, (hour + 1) * MS_PER_HOUR)
  const groups = await store.reader(gridId).requests({ window, by: ['service'], latencies: false })
  return groups.reduce((sum, { requestCount }) => sum + requestCount, 0)
}

async function bytesOnDisk(gridId: string): Promise<number> {
  const gridFolder = join(folder, 'grids', gridId)
  const names = await readdir(gridFolder).catch(() => [])
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(gridFolder, name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

describe('a Grid that takes more than it may', () => {
  it('loses the records of its oldest hours, and keeps their sums', async () => {
    const before = (await store.usage(GRID)).bytes
    const maxBytes = Math.floor(before * 0.55)
    const made = await store.fitInto({ grids: [{ gridId: GRID, maxBytes }], maxBytes: NO_LIMIT }, NOW_MS)
    const { bytes, recordsFromNs, sumsFromNs } = await store.usage(GRID)
    expect(bytes).toBeLessThanOrEqual(maxBytes)
    expect(await bytesOnDisk(GRID)).toBe(bytes)
    const kept = await hoursWithRecords(GRID)
    expect(kept).toEqual([0, 1, 2, 3].slice(-kept.length))
    expect(kept.length).toBeGreaterThan(0)
    expect([recordsFromNs, sumsFromNs]).toEqual([atNs((kept[0] as number) * MS_PER_HOUR), atNs(0)])
    expect(made).toEqual([
      {
        gridId: GRID,
        hoursOfRecords: HOURS - kept.length,
        hoursOfSums: 0,
        freedBytes: before - bytes,
        recordsFromNs,
      },
    ])
    expect(await requestsOf(GRID, 0)).toBe(SPANS_PER_HOUR)
    expect(await hoursWithRecords(OTHER_GRID)).toEqual([0, 1])
  })

  it('loses sums too where records are not enough', async () => {
    const [made] = await store.fitInto({ grids: [{ gridId: GRID, maxBytes: 1 }], maxBytes: NO_LIMIT }, NOW_MS)
    expect(made).toMatchObject({ hoursOfRecords: HOURS, hoursOfSums: HOURS })
    expect(await store.usage(GRID)).toEqual({ bytes: 0, recordsFromNs: null, sumsFromNs: null })
    expect(await bytesOnDisk(GRID)).toBe(0)
    expect(await requestsOf(GRID, 2)).toBe(0)
    expect(await requestsOf(OTHER_GRID, 0)).toBe(SPANS_PER_HOUR)
  })

  it('loses what its days come down to with the last of their hours', async () => {
    await store.compact(Date.now())
    await store.fitInto({ grids: [{ gridId: GRID, maxBytes: 1 }], maxBytes: NO_LIMIT }, NOW_MS)
    expect(await bytesOnDisk(GRID)).toBe(0)
    expect((await store.usage(GRID)).bytes).toBe(0)
  })

  it('keeps hours that are not over, and takes records as before', async () => {
    const soon = Number(atNs(3 * MS_PER_HOUR + 60_000) / 1_000_000n)
    await store.fitInto({ grids: [{ gridId: GRID, maxBytes: 1 }], maxBytes: NO_LIMIT }, soon)
    // The third hour has ended a minute ago: late records are still expected.
    expect(await hoursWithRecords(GRID)).toEqual([2, 3])
    await write(store, GRID, { spans: [{ trace: 'ff', id: 'ff', atMs: 3 * MS_PER_HOUR + 50 }] })
    expect(await store.reader(GRID).span(spanIdOf('ff'))).toBeDefined()
  })

  it('stays as it is, also after a restart', async () => {
    const maxBytes = Math.floor((await store.usage(GRID)).bytes * 0.5)
    const budgets = { grids: [{ gridId: GRID, maxBytes }], maxBytes: NO_LIMIT }
    await store.fitInto(budgets, NOW_MS)
    const usage = await store.usage(GRID)
    await store.close()
    store = await stores.open(folder)
    expect(await store.usage(GRID)).toEqual(usage)
    expect(await store.fitInto(budgets, NOW_MS)).toEqual([])
  })
})

describe('Grids that together take more than they may', () => {
  it('lose the oldest hours of any of them', async () => {
    const { diskBytes } = await store.measure()
    const made = await store.fitInto({ grids: [], maxBytes: Math.floor(diskBytes * 0.45) }, NOW_MS)
    expect(made.map(({ gridId }) => gridId).sort()).toEqual([GRID, OTHER_GRID])
    expect(await hoursWithRecords(GRID)).toEqual([2, 3])
    expect(await hoursWithRecords(OTHER_GRID)).toEqual([])
    expect((await store.measure()).diskBytes).toBeLessThanOrEqual(diskBytes * 0.45)
  })

  it('lose nothing while there is room', async () => {
    const { diskBytes } = await store.measure()
    expect(await store.fitInto({ grids: [], maxBytes: diskBytes }, NOW_MS)).toEqual([])
    expect(await hoursWithRecords(GRID)).toEqual([0, 1, 2, 3])
  })

  it('lose an hour where the files of their days leave a byte too little', async () => {
    await store.compact(Date.now())
    const { diskBytes } = await store.measure()
    const made = await store.fitInto({ grids: [], maxBytes: diskBytes - 1 }, NOW_MS)
    expect(made).toMatchObject([{ hoursOfRecords: 1, hoursOfSums: 0 }])
  })
})

it('knows what is not sealed yet', async () => {
  store = await stores.open(await stores.newFolder())
  await write(store, GRID, { spans: [{ atMs: 3 * MS_PER_HOUR + 5 }] })
  const beginning = atNs(3 * MS_PER_HOUR)
  expect(await store.usage(GRID)).toEqual({ bytes: 0, recordsFromNs: beginning, sumsFromNs: beginning })
})
