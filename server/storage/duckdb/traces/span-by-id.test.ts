import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BASE_NS } from '../../conformance/test-time.ts'
import type { DuckDbStore } from '../duckdb-store.ts'
import { alterFiles, BEFORE_TEMPLATES } from '../testing/earlier-program.ts'
import { GRID, TestStores, write } from '../testing/test-store.ts'

const stores = new TestStores()
let folder: string
let store: DuckDbStore

beforeEach(async () => {
  folder = await stores.newFolder()
  store = await stores.open(folder)
})

afterEach(() => stores.dispose())

async function writeCompacted(ids: string[], atMs = 0): Promise<void> {
  await write(store, GRID, { spans: ids.map((id, i) => ({ trace: String(i + 1), id, atMs: atMs + i * 700 })) })
  await store.settle()
  await store.compact(Date.now())
}

async function found(...ids: string[]): Promise<(string | undefined)[]> {
  return await Promise.all(ids.map(async (id) => (await store.reader(GRID).span(id))?.spanId))
}

describe('a span by id in an hour that was brought into order', () => {
  const IDS = ['00000000000000a1', 'a100000000000000', '7fffffffffffffff', 'ffffffffffffffff', '123456789abcdef0']

  it('is found, and one that is not there is not', async () => {
    await writeCompacted(IDS)
    expect(await found(...IDS)).toEqual(IDS)
    expect(await found('00000000000000a2', '0000a10000000000', '8000000000000000')).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  it('is found in hours before the epoch', async () => {
    await writeCompacted(IDS, -Number(BASE_NS / 1_000_000n) - 3_000_000)
    expect(await found(...IDS)).toEqual(IDS)
  })

  it.each([3, 40])('is found among %i spans whose ids look the same to a search', async (count) => {
    // Folded to 28 bits all of these are alike.
    const numbers = Array.from({ length: count + 1 }, (_, i) => BigInt(i + 1))
    const alike = numbers.map((n) => ((n << 36n) | n).toString(16).padStart(16, '0'))
    await writeCompacted([...alike.slice(0, count), ...IDS])
    expect(await found(...alike)).toEqual([...alike.slice(0, count), undefined])
  })

  it('is found where it came later, and where it has not left its open file', async () => {
    await writeCompacted(IDS.slice(0, 2))
    await write(store, GRID, { spans: [{ trace: '8', id: 'b1b1b1b1b1b1b1b1' }] })
    await store.settle()
    await write(store, GRID, { spans: [{ trace: '9', id: 'b2b2b2b2b2b2b2b2' }] })
    expect(await found('b1b1b1b1b1b1b1b1', 'b2b2b2b2b2b2b2b2', ...IDS.slice(0, 3))).toEqual([
      'b1b1b1b1b1b1b1b1',
      'b2b2b2b2b2b2b2b2',
      ...IDS.slice(0, 2),
      undefined,
    ])
  })

  it('is found in the files of a program that did not note times', async () => {
    await writeCompacted(IDS)
    await store.close()
    await alterFiles(join(folder, 'grids', GRID), ['DROP TABLE span_times', ...BEFORE_TEMPLATES])
    store = await stores.open(folder)
    expect(await found(...IDS)).toEqual(IDS)
  })
})
