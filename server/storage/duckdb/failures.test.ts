import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { StoreUnavailable } from '../../domain/store-errors.ts'
import type { Records } from '../conformance/subject.ts'
import { MS_PER_HOUR } from '../conformance/test-time.ts'
import type { DuckDbStore } from './duckdb-store.ts'
import { Session } from './engine/session.ts'
import { OpenFile } from './files/open-file.ts'
import { CAN_LIMIT_FILES, limitFiles } from './testing/file-size-limit.ts'
import { ALL_TRACES, GRID, namesIn, namesOf, OTHER_GRID, TestStores, write } from './testing/test-store.ts'

const stores = new TestStores()

afterEach(async () => {
  vi.restoreAllMocks()
  if (CAN_LIMIT_FILES) limitFiles('unlimited')
  await stores.dispose()
})

const SMALL: Records = { spans: [{ trace: 'a', id: '1' }], logs: [{ id: '1', body: 'small' }], points: [{ value: 1 }] }
/** Far larger than the room that tests leave. */
const LARGE: Records = {
  spans: [{ trace: 'b', id: '2' }],
  logs: [{ id: '2', body: 'x'.repeat(500_000) }],
  points: [{ value: 2, atMs: 1 }],
}

/** Fails the next statement that begins so. */
function failNext(beginning: string, message: string): void {
  const { run } = Session.prototype
  const spy = vi.spyOn(Session.prototype, 'run').mockImplementation(function (this: Session, sql, parameters) {
    if (!sql.startsWith(beginning)) return run.call(this, sql, parameters)
    spy.mockRestore()
    return Promise.reject(new Error(message))
  })
}

async function logSize(folder: string): Promise<number> {
  const logs = (await readdir(join(folder, 'open'))).filter((name) => name.endsWith('.wal'))
  return (await stat(join(folder, 'open', logs[0] as string))).size
}

describe('a commit that fails', () => {
  it.skipIf(!CAN_LIMIT_FILES)(
    'rejects its writes, keeps none of their rows, and takes them when they are sent again',
    async () => {
      const folder = await stores.newFolder()
      const store = await stores.open(folder)
      await write(store, GRID, SMALL)
      limitFiles((await logSize(folder)) + 10_000)
      await expect(write(store, GRID, LARGE)).rejects.toBeInstanceOf(StoreUnavailable)
      await expect(write(store, GRID, LARGE)).rejects.toThrow('could not write')
      expect(await namesIn(store, GRID)).toEqual(namesOf(SMALL))
      expect((await store.measure()).unsealedRows).toBe(3)
      limitFiles('unlimited')
      await write(store, GRID, LARGE)
      await write(store, GRID, LARGE)
      const both = [...namesOf(SMALL), ...namesOf(LARGE)].sort()
      expect(await namesIn(store, GRID)).toEqual(both)
      expect(await store.measure()).toMatchObject({ unsealedRows: 6, duplicateRows: 3 })
      await store.close()
      const reopened = await stores.open(folder)
      expect(await namesIn(reopened, GRID)).toEqual(both)
      await reopened.settle()
      expect(await namesIn(reopened, GRID)).toEqual(both)
    },
  )

  it('fails also for those who wait behind it with a copy of what it held', async () => {
    const store = await stores.open(await stores.newFolder())
    failNext('COMMIT', 'IO Error: Could not write')
    const outcomes = await Promise.allSettled([write(store, GRID, SMALL), write(store, GRID, SMALL)])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await namesIn(store, GRID)).toEqual([])
    await write(store, GRID, SMALL)
    expect(await namesIn(store, GRID)).toEqual(namesOf(SMALL))
    await store.settle()
    expect(await namesIn(store, GRID)).toEqual(namesOf(SMALL))
  })

  it('ends the store where the database has given itself up', async () => {
    const store = await stores.open(await stores.newFolder())
    failNext('BEGIN', 'FATAL Error: the database has been invalidated because of a previous fatal error')
    vi.spyOn(OpenFile.prototype, 'openAppenders').mockRejectedValueOnce(new Error('invalidated'))
    await expect(write(store, GRID, SMALL)).rejects.toBeInstanceOf(StoreUnavailable)
    expect(stores.breakages.map(({ message }) => message)).toContain('invalidated')
  })
})

describe('a new file that cannot be begun', () => {
  it.each(['create', 'appenders'])(
    'leaves the old one serving, and what was committed stays so (%s)',
    async (failing) => {
      const store = await stores.open(await stores.newFolder(), { openRowsMax: 1 })
      if (failing === 'create') vi.spyOn(OpenFile, 'create').mockRejectedValueOnce(new Error('no room'))
      else vi.spyOn(OpenFile.prototype, 'openAppenders').mockRejectedValueOnce(new Error('no room'))
      await write(store, GRID, SMALL)
      await write(store, OTHER_GRID, SMALL)
      expect(await namesIn(store, GRID)).toEqual(namesOf(SMALL))
      await store.settle()
      expect(await namesIn(store, GRID)).toEqual(namesOf(SMALL))
      expect(await namesIn(store, OTHER_GRID)).toEqual(namesOf(SMALL))
      expect(stores.warnings).toEqual([expect.stringContaining('no room')])
    },
  )
})

describe('a sealing that fails', () => {
  it.skipIf(!CAN_LIMIT_FILES)('changes no answer, says so, and succeeds when there is room again', async () => {
    const store = await stores.open(await stores.newFolder())
    await write(store, GRID, SMALL)
    limitFiles(40_000)
    await expect(store.settle()).rejects.toBeInstanceOf(StoreUnavailable)
    expect(await namesIn(store, GRID)).toEqual(namesOf(SMALL))
    expect(stores.warnings[0]).toContain('sealing failed')
    limitFiles('unlimited')
    await store.settle()
    expect(await namesIn(store, GRID)).toEqual(namesOf(SMALL))
    expect((await store.measure()).unsealedRows).toBe(0)
  })

  it.each([
    'INSERT INTO hour_1.spans',
    'INSERT INTO hour_1.sealed',
    'COMMIT',
    'CREATE OR REPLACE TEMP TABLE place_ids',
  ])('leaves nothing half done (%s)', async (statement) => {
    const store = await stores.open(await stores.newFolder())
    const twoHours = { ...SMALL, spans: [...(SMALL.spans ?? []), { trace: 'a', id: '2', atMs: MS_PER_HOUR }] }
    await write(store, GRID, twoHours)
    failNext(statement, 'Out of Memory Error: not now')
    await store.settle().catch(() => undefined)
    expect(await namesIn(store, GRID)).toEqual(namesOf(twoHours))
    await store.settle()
    expect(await namesIn(store, GRID)).toEqual(namesOf(twoHours))
    expect((await store.reader(GRID).traceFilterOptions(10)).operationNames).toEqual(['GET /'])
  })

  it('keeps a Grid from being dropped for show', async () => {
    const store = await stores.open(await stores.newFolder())
    await write(store, GRID, SMALL)
    failNext('INSERT INTO hour_1.sealed', 'Out of Memory Error: not now')
    await expect(store.dropGrid(GRID)).rejects.toBeInstanceOf(StoreUnavailable)
    await store.dropGrid(GRID)
    expect(await namesIn(store, GRID)).toEqual([])
    await write(store, GRID, SMALL)
    expect(await namesIn(store, GRID)).toEqual(namesOf(SMALL))
  })
})

describe('a rewriting that fails', () => {
  it.each(['INSERT INTO rewritten', 'CHECKPOINT rewritten', 'DETACH rewritten'])(
    'leaves the hour as it was, and is tried again (%s)',
    async (statement) => {
      const store = await stores.open(await stores.newFolder())
      await write(store, GRID, SMALL)
      await store.settle()
      await write(store, GRID, { spans: [{ trace: 'c', id: '3' }] })
      await store.settle()
      const before = await namesIn(store, GRID)
      failNext(statement, 'IO Error: Could not write')
      await expect(store.compact(Date.now())).rejects.toThrow('Could not write')
      expect(await namesIn(store, GRID)).toEqual(before)
      await store.compact(Date.now())
      expect(await namesIn(store, GRID)).toEqual(before)
    },
  )
})

describe('a disk that is nearly full', () => {
  it('takes no rows, says why, and goes on answering', async () => {
    const folder = await stores.newFolder()
    const first = await stores.open(folder)
    await write(first, GRID, SMALL)
    await first.close()
    const store = await stores.open(folder, { minFreeDiskBytes: Number.MAX_SAFE_INTEGER })
    await expect(write(store, GRID, LARGE)).rejects.toThrow('the disk is nearly full')
    await expect(store.settle()).rejects.toBeInstanceOf(StoreUnavailable)
    expect(await namesIn(store, GRID)).toEqual(namesOf(SMALL))
  })
})

describe('closing', () => {
  it('keeps what was taken, ends questions, and may be called twice', async () => {
    const folder = await stores.newFolder()
    const store = await stores.open(folder, { openRowsMax: 2 })
    await write(store, GRID, SMALL)
    const written = write(store, GRID, LARGE)
    const asked = Array.from({ length: 20 }, () => store.reader(GRID).searchTraces(ALL_TRACES))
    const outcomes = Promise.allSettled(asked)
    await Promise.all([store.close(), store.close(), written])
    for (const outcome of await outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(StoreUnavailable)
    const reopened: DuckDbStore = await stores.open(folder)
    expect(await namesIn(reopened, GRID)).toEqual([...namesOf(SMALL), ...namesOf(LARGE)].sort())
    expect(stores.warnings).toEqual([])
  })

  it('ends a rewriting that is under way, and leaves the hour as it was', async () => {
    const folder = await stores.newFolder()
    const store = await stores.open(folder)
    await write(store, GRID, SMALL)
    await store.settle()
    await write(store, GRID, { spans: [{ trace: 'c', id: '3' }] })
    await store.settle()
    const before = await namesIn(store, GRID)
    const { run } = Session.prototype
    let closed: Promise<void> | undefined
    vi.spyOn(Session.prototype, 'run').mockImplementation(async function (this: Session, sql, parameters) {
      if (/^INSERT INTO rewritten_\d+\.spans/.test(sql)) closed = store.close()
      await run.call(this, sql, parameters)
    })
    await expect(store.compact(Date.now())).rejects.toBeInstanceOf(StoreUnavailable)
    await closed
    vi.restoreAllMocks()
    expect(await namesIn(await stores.open(folder), GRID)).toEqual(before)
    expect(await readdir(join(folder, 'temporary'))).toEqual([])
  })
})

describe('a question for which there is too little memory', () => {
  it('is asked again, and answered when there is enough', async () => {
    const store = await stores.open(await stores.newFolder())
    await write(store, GRID, SMALL)
    vi.spyOn(Session.prototype, 'rows').mockRejectedValueOnce(new Error('Out of Memory Error: not now'))
    expect(await namesIn(store, GRID)).toEqual(namesOf(SMALL))
  })

  it('is refused with what may be done where there is never enough', async () => {
    const store = await stores.open(await stores.newFolder())
    await write(store, GRID, SMALL)
    vi.spyOn(Session.prototype, 'rows').mockRejectedValue(new Error('Out of Memory Error: not now'))
    await expect(store.reader(GRID).searchTraces(ALL_TRACES)).rejects.toThrow('try again shortly, or ask for less')
  })
})
