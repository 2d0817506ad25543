import { cp, readdir, readFile, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { atNs, BASE_NS, MS_PER_HOUR, windowMs } from '../../conformance/test-time.ts'
import type { DuckDbStore } from '../duckdb-store.ts'
import { GRID, TestStores, write } from '../testing/test-store.ts'

const HOURS = [0, 1, 2]
const LONG_AGO = atNs(-1000 * MS_PER_HOUR)

/** Of the folder that every test has a copy of. */
const originals = new TestStores()
const stores = new TestStores()
let original: string
let folder: string

/** A point in each of three hours, all rolled up. */
beforeAll(async () => {
  original = await originals.newFolder()
  const store = await originals.open(original)
  await write(store, GRID, { points: HOURS.map((hour) => ({ atMs: hour * MS_PER_HOUR, value: hour })) })
  await store.settle()
  await store.compact(Date.now())
  await store.close()
})

beforeEach(async () => {
  folder = await stores.newFolder()
  await cp(original, folder, { recursive: true })
})

afterEach(() => stores.dispose())
afterAll(() => originals.dispose())

/** The values of a chart, by hours after the base. */
async function charted(store: DuckDbStore, stepMinutes = 60): Promise<[number, number][]> {
  const question = { window: windowMs(0, 100 * MS_PER_HOUR), stepMinutes, filter: {}, groupBy: '' }
  const reading = { of: 'numbers', as: 'average' } as const
  const steps = await store.reader(GRID).metricSteps({ ...question, name: 'queue.length', reading })
  return steps
    .map(({ stepNs, value }): [number, number] => [Number(stepNs - BASE_NS) / 3_600_000_000_000, value])
    .toSorted(([a], [b]) => a - b)
}

async function dayFilesIn(folder: string): Promise<string[]> {
  return (await readdir(join(folder, 'grids', GRID)).catch(() => [])).filter((name) => name.endsWith('-points.duckdb'))
}

const pairs = (hours: number[]) => hours.map((hour) => [hour, hour])

describe('what metric points are rolled up into', () => {
  it('outlives the points, and goes hour by hour with the sums and in the end as a file', async () => {
    const store = await stores.open(folder)
    await store.expire([{ gridId: GRID, oldestNs: atNs(2 * MS_PER_HOUR), oldestSumsNs: LONG_AGO }])
    expect(await charted(store)).toEqual(pairs(HOURS))
    expect(await charted(store, 1)).toEqual(pairs([2]))
    expect(await store.reader(GRID).metricTraits('queue.length', windowMs(0, MS_PER_HOUR))).toMatchObject({
      type: 'gauge',
      unit: '1',
    })
    await store.expire([{ gridId: GRID, oldestNs: atNs(2 * MS_PER_HOUR), oldestSumsNs: atNs(MS_PER_HOUR) }])
    expect(await charted(store)).toEqual(pairs([1, 2]))
    await store.close()
    const reopened = await stores.open(folder)
    expect(await charted(reopened)).toEqual(pairs([1, 2]))
    const later = atNs(100 * MS_PER_HOUR)
    await reopened.expire([{ gridId: GRID, oldestNs: later, oldestSumsNs: later }])
    expect(await charted(reopened)).toEqual([])
    expect(await dayFilesIn(folder)).toEqual([])
  })

  it('goes with its Grid', async () => {
    const store = await stores.open(folder)
    expect(await dayFilesIn(folder)).toHaveLength(1)
    await store.dropGrid(GRID)
    expect(await dayFilesIn(folder)).toEqual([])
    expect(await charted(store)).toEqual([])
  })

  it('has no series any more that records were deleted of, though the records themselves are gone for long', async () => {
    const empty = await stores.newFolder()
    const store = await stores.open(empty)
    const of = (user: string, hour: number) => ({ atMs: hour * MS_PER_HOUR, value: hour, attributes: { user } })
    await write(store, GRID, { points: HOURS.flatMap((hour) => [of('like-no-other', hour), of('bob', hour)]) })
    await store.settle()
    await store.compact(Date.now())
    await store.expire([{ gridId: GRID, oldestNs: atNs(2 * MS_PER_HOUR), oldestSumsNs: LONG_AGO }])
    const match = { attribute: 'user', values: ['like-no-other'], signals: ['metrics' as const] }
    for (const hour of await store.settledHours(GRID)) await store.deleteRecords(GRID, hour, match)
    const question = { window: windowMs(0, 100 * MS_PER_HOUR), stepMinutes: 60, filter: {}, groupBy: 'user' }
    const reading = { of: 'numbers', as: 'average' } as const
    const steps = await store.reader(GRID).metricSteps({ ...question, name: 'queue.length', reading })
    expect(steps.map(({ group }) => group)).toEqual(HOURS.map(() => 'bob'))
    for (const name of await readdir(join(empty, 'grids', GRID)))
      expect((await readFile(join(empty, 'grids', GRID, name))).includes('like-no-other'), name).toBe(false)
  })

  it('is made later of a store that an earlier program wrote', async () => {
    for (const name of await dayFilesIn(folder)) await rm(join(folder, 'grids', GRID, name))
    const store = await stores.open(folder)
    expect(await charted(store)).toEqual(pairs(HOURS))
    await store.compact(Date.now())
    expect(await dayFilesIn(folder)).toHaveLength(1)
    expect(await charted(store)).toEqual(pairs(HOURS))
  })

  it('is set aside where it cannot be read, and made anew', async () => {
    const [name = ''] = await dayFilesIn(folder)
    await truncate(join(folder, 'grids', GRID, name), 20_000)
    const store = await stores.open(folder)
    expect(await charted(store)).toEqual(pairs(HOURS))
    expect(stores.warnings).toEqual([expect.stringContaining('rolled up points')])
    await store.compact(Date.now())
    expect(await dayFilesIn(folder)).toHaveLength(1)
    expect(await charted(store)).toEqual(pairs(HOURS))
  })

  it('is among the files of a backup', async () => {
    const store = await stores.open(folder)
    const names = (files: { name: string }[]) =>
      files.map(({ name }) => name).filter((name) => name.includes('-points'))
    expect(names(await store.files())).toHaveLength(1)
    expect(names(await store.holdFiles())).toHaveLength(1)
    await store.releaseFiles()
  })

  it('is not needed for an answer from more hours than are asked together', async () => {
    const store = await stores.open(await stores.newFolder())
    const hours = Array.from({ length: 18 }, (_, hour) => hour)
    await write(store, GRID, { points: hours.map((hour) => ({ atMs: hour * MS_PER_HOUR, value: hour })) })
    await store.settle()
    expect(await charted(store, 1)).toEqual(pairs(hours))
  })
})
