import { cp, mkdir, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { atNs, MS_PER_HOUR } from '../../conformance/test-time.ts'
import type { StoredFile } from '../../telemetry-store.ts'
import type { DuckDbStore } from '../duckdb-store.ts'
import { Session } from '../engine/session.ts'
import { GRID, namesIn, TestStores, write } from '../testing/test-store.ts'

const stores = new TestStores()
let store: DuckDbStore

beforeEach(async () => {
  store = await stores.open(await stores.newFolder())
})
afterEach(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  await stores.dispose()
})

function recordsOfHour(hour: number, id: string) {
  return { spans: [{ trace: id, id, atMs: hour * MS_PER_HOUR }], logs: [{ body: id, atMs: hour * MS_PER_HOUR }] }
}

async function openCopy(files: StoredFile[]): Promise<DuckDbStore> {
  const folder = await stores.newFolder()
  for (const { path, name } of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await cp(path, join(folder, name))
  }
  return await stores.open(folder)
}

async function contents(files: StoredFile[]): Promise<string[]> {
  return await Promise.all(files.map(async ({ path }) => (await readFile(path)).toString('base64')))
}

/** As the database does while a transaction of before reads the file. */
function refusingCheckpoints(run: Session['run']): Session['run'] {
  return async function (this: Session, sql, parameters) {
    if (sql.startsWith('CHECKPOINT hour_'))
      throw new Error('Cannot CHECKPOINT: there are other write transactions active')
    return await run.call(this, sql, parameters)
  }
}

describe('files that are held', () => {
  it('hold what was acknowledged before, sealed or not', async () => {
    await write(store, GRID, recordsOfHour(0, '1'))
    await store.settle()
    await write(store, GRID, recordsOfHour(0, '2'))
    await write(store, GRID, recordsOfHour(1, '3'))
    const copy = await openCopy(await store.holdFiles())
    expect(await namesIn(copy, GRID)).toEqual(['log 1', 'log 2', 'log 3', 'span 1/1', 'span 2/2', 'span 3/3'])
  })

  it('do not change, while records are taken and questions are answered', async () => {
    await write(store, GRID, recordsOfHour(0, '1'))
    const expiry = { gridId: GRID, oldestNs: atNs(5 * MS_PER_HOUR), oldestSumsNs: atNs(5 * MS_PER_HOUR) }
    const held = await store.holdFiles()
    const before = await contents(held)
    await write(store, GRID, recordsOfHour(0, '2'))
    const sealed = store.settle()
    const compacted = store.compact(Date.now())
    const expired = store.expire([expiry])
    expect(await namesIn(store, GRID)).toEqual(['log 1', 'log 2', 'span 1/1', 'span 2/2'])
    await sleep(100)
    expect(await contents(held)).toEqual(before)
    expect(await store.releaseFiles()).toBe(true)
    // All of it goes on at once: a sealing that finds its hour being rewritten is for later.
    await Promise.allSettled([sealed, compacted, expired])
    await store.settle()
    await store.expire([expiry])
    expect(await namesIn(store, GRID)).toEqual([])
  })

  it('hold what is in a log that a question keeps from being emptied', async () => {
    await write(store, GRID, recordsOfHour(0, '1'))
    await store.settle()
    const { run } = Session.prototype
    vi.spyOn(Session.prototype, 'run').mockImplementation(refusingCheckpoints(run))
    await write(store, GRID, recordsOfHour(0, '2'))
    const held = await store.holdFiles()
    expect(held.map(({ name }) => name)).toContainEqual(expect.stringMatching(/\.duckdb\.wal$/))
    expect(await namesIn(await openCopy(held), GRID)).toEqual(['log 1', 'log 2', 'span 1/1', 'span 2/2'])
  })

  it('cannot be held twice at a time, and can be again', async () => {
    await store.holdFiles()
    await expect(store.holdFiles()).rejects.toThrow(/held already/)
    expect(await store.releaseFiles()).toBe(true)
    expect(await store.releaseFiles()).toBe(false)
    await store.holdFiles()
  })

  it('are released after a minute, and whoever held them is told so', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
    await write(store, GRID, recordsOfHour(0, '1'))
    await store.holdFiles()
    await vi.advanceTimersByTimeAsync(60_000)
    await write(store, GRID, recordsOfHour(0, '2'))
    await store.settle()
    expect(await store.releaseFiles()).toBe(false)
  })

  it('do not keep the store from being closed', async () => {
    await write(store, GRID, recordsOfHour(0, '1'))
    await store.holdFiles()
    await write(store, GRID, recordsOfHour(0, '2'))
    store.settle().catch(() => undefined)
    await store.close()
    await expect(store.releaseFiles()).rejects.toThrow(/closed/)
  })

  it('are let go where holding them fails', async () => {
    await write(store, GRID, recordsOfHour(0, '1'))
    vi.spyOn(store, 'settle').mockRejectedValueOnce(new Error('not now'))
    await expect(store.holdFiles()).rejects.toThrow('not now')
    await store.settle()
    await store.holdFiles()
  })
})

describe('files at rest', () => {
  it('are those whose records are all in them, and stay as they are over a restart', async () => {
    const folder = await stores.newFolder()
    store = await stores.open(folder)
    await write(store, GRID, recordsOfHour(0, '1'))
    await store.settle()
    const files = await store.files()
    expect(files.map(({ name }) => name)).toEqual([
      'format.json',
      'open-numbers.json',
      expect.stringMatching(/^grids\/.*-1\.duckdb$/),
    ])
    await store.close()
    store = await stores.open(folder)
    await namesIn(store, GRID)
    expect((await store.files()).at(2)).toEqual(files.at(2))
    expect(files.at(2)?.bytes).toBe((await stat(files.at(2)?.path ?? '')).size)
  })
})
