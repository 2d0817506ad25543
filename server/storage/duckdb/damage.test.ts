import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, cp, mkdir, open, readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { StoreUnusable } from '../../domain/store-errors.ts'
import type { Records } from '../conformance/subject.ts'
import { MS_PER_HOUR } from '../conformance/test-time.ts'
import { Session } from './engine/session.ts'
import { GRID, namesIn, namesOf, OTHER_GRID, TestStores, write } from './testing/test-store.ts'

/** Of the folders that tests have copies of. */
const originals = new TestStores()
const stores = new TestStores()

afterEach(async () => {
  vi.restoreAllMocks()
  await stores.dispose()
})

const FIRST: Records = { spans: [{ trace: 'a', id: '1' }], logs: [{ id: '1', body: 'one' }], points: [{ value: 1 }] }
const SECOND: Records = { spans: [{ trace: 'b', id: '2', atMs: MS_PER_HOUR }], logs: [{ id: '2', body: 'two' }] }
const BOTH = [...namesOf(FIRST), ...namesOf(SECOND)].sort()

type Placement = 'open' | 'sealed'

let folders: Record<Placement, string>

beforeAll(async () => {
  folders = { open: await makeFolder('open'), sealed: await makeFolder('sealed') }
})
afterAll(() => originals.dispose())

/** A folder that holds both batches, sealed or not, and that nobody has open. */
async function makeFolder(placement: Placement): Promise<string> {
  const folder = await originals.newFolder()
  const store = await originals.open(folder)
  for (const records of [FIRST, SECOND]) {
    await write(store, GRID, records)
    if (placement === 'sealed') await store.settle()
  }
  await store.close()
  return folder
}

async function copyOf(folder: string): Promise<string> {
  const copy = await stores.newFolder()
  await cp(folder, copy, { recursive: true })
  return copy
}

async function pathOf(folder: string, ...parts: [...string[], RegExp]): Promise<string> {
  const inside = join(folder, ...(parts.slice(0, -1) as string[]))
  const name = (await readdir(inside)).find((found) => (parts.at(-1) as RegExp).test(found))
  return join(inside, name ?? 'nothing there')
}

async function flip(path: string, position: number): Promise<void> {
  const file = await open(path, 'r+')
  const byte = Buffer.alloc(1)
  await file.read(byte, 0, 1, position)
  await file.write(Buffer.from([(byte[0] as number) ^ 0xff]), 0, 1, position)
  await file.close()
}

describe('after a power failure', () => {
  it.each([
    ['space that was never written', Buffer.alloc(5000)],
    ['half an entry', Buffer.from([64, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9])],
    ['nonsense', Buffer.alloc(5000, 0xab)],
  ])('all that was acknowledged is there though the log of new rows ends in %s', async (_what, end) => {
    const folder = await copyOf(folders.open)
    await appendFile(await pathOf(folder, 'open', /\.duckdb\.wal$/), end)
    const store = await stores.open(folder)
    expect(await namesIn(store, GRID)).toEqual(BOTH)
    await store.settle()
    expect(await namesIn(store, GRID)).toEqual(BOTH)
    expect(stores.warnings).toEqual([])
  })

  it('an hour is served whose log ends in what was never written, and takes late rows', async () => {
    const { run } = Session.prototype
    vi.spyOn(Session.prototype, 'run').mockImplementation(function (this: Session, sql, parameters) {
      return sql.startsWith('CHECKPOINT') ? Promise.resolve() : run.call(this, sql, parameters)
    })
    const folder = await makeFolder('sealed')
    vi.restoreAllMocks()
    await appendFile(await pathOf(folder, 'grids', GRID, /\.wal$/), Buffer.alloc(5000))
    const store = await stores.open(folder)
    expect(await namesIn(store, GRID)).toEqual(BOTH)
    await write(store, GRID, { logs: [{ id: '3', body: 'late' }] })
    await store.settle()
    await store.close()
    expect(await namesIn(await stores.open(folder), GRID)).toEqual([...BOTH, 'log late'].sort())
    expect(stores.warnings).toEqual([])
  })

  it('a file of new rows that was being made or removed keeps nothing from starting', async () => {
    const folder = await copyOf(folders.open)
    await writeFile(join(folder, 'open', '5.duckdb'), '')
    await writeFile(join(folder, 'open', '6.duckdb'), Buffer.alloc(12_288))
    await writeFile(join(folder, 'open', '7.duckdb.wal'), 'a log that outlived its file')
    await writeFile(join(folder, 'temporary', 'rewritten_1.duckdb'), 'half a copy')
    const store = await stores.open(folder)
    expect(await namesIn(store, GRID)).toEqual(BOTH)
    expect(stores.warnings).toEqual([expect.stringContaining('7.duckdb')])
    expect(await readdir(join(folder, 'temporary'))).toEqual([])
    await store.settle()
    expect((await readdir(join(folder, 'open'))).filter((name) => name.endsWith('.duckdb'))).toHaveLength(1)
  })
})

describe('damage', () => {
  it('within the log of new rows costs what follows it, and is said', async () => {
    const folder = await copyOf(folders.open)
    const log = await pathOf(folder, 'open', /\.wal$/)
    await flip(log, Math.floor((await readFile(log)).length * 0.9))
    const store = await stores.open(folder)
    expect(await namesIn(store, GRID)).toEqual(namesOf(FIRST))
    await write(store, GRID, SECOND)
    await store.settle()
    expect(await namesIn(store, GRID)).toEqual(BOTH)
    expect(stores.warnings).toEqual([expect.stringContaining('cannot be read from byte')])
  })

  it('of a file of new rows as a whole sets it aside', async () => {
    const folder = await copyOf(folders.open)
    await flip(await pathOf(folder, 'open', /\.duckdb$/), 100)
    const store = await stores.open(folder)
    expect(await namesIn(store, GRID)).toEqual([])
    expect(stores.warnings).toEqual([expect.stringContaining('set aside')])
    expect((await readdir(join(folder, 'damaged'))).length).toBeGreaterThan(0)
    await write(store, GRID, FIRST)
    expect(await namesIn(store, GRID)).toEqual(namesOf(FIRST))
  })

  describe('of an hour', () => {
    let original: string
    beforeAll(async () => {
      original = await originals.newFolder()
      const store = await originals.open(original)
      const large = Array.from({ length: 300 }, (_, i) => ({ id: `${i + 10}`, body: `${i}` }))
      await write(store, GRID, { ...FIRST, logs: large })
      await write(store, GRID, { spans: SECOND.spans ?? [] })
      await store.settle()
      await store.close()
    })

    it.each(['the head', 'the middle', 'the end'])(
      'at %s sets that hour aside and leaves the others',
      async (where) => {
        const folder = await copyOf(original)
        const path = await pathOf(folder, 'grids', GRID, /T10-1\.duckdb$/)
        const size = (await readFile(path)).length
        if (where === 'the head') await flip(path, 100)
        else if (where === 'the end') await truncate(path, Math.floor(size / 2))
        else for (let at = 12_288 + 100; at < size; at += 16_384) await flip(path, at)
        const damaged = await stores.open(folder)
        // Damage is found by the first question that reads the place.
        await namesIn(damaged, GRID)
        expect(await namesIn(damaged, GRID)).toEqual(namesOf({ spans: SECOND.spans ?? [] }))
        expect(stores.warnings).toEqual([expect.stringContaining('set aside')])
        // What was lost is taken where somebody still has it, and what was not is not taken twice.
        const sentAgain = { ...FIRST, spans: [...(FIRST.spans ?? []), ...(SECOND.spans ?? [])] }
        await write(damaged, GRID, sentAgain)
        await write(damaged, GRID, sentAgain)
        expect(await namesIn(damaged, GRID)).toEqual(namesOf(sentAgain))
        await damaged.settle()
        expect(await namesIn(damaged, GRID)).toEqual(namesOf(sentAgain))
      },
    )
  })

  it('of the file that locks the folder does not lock it for ever', async () => {
    const folder = await copyOf(folders.sealed)
    await writeFile(join(folder, 'lock.duckdb'), 'x')
    expect(await namesIn(await stores.open(folder), GRID)).toEqual(BOTH)
  })
})

describe('a folder is refused in one line', () => {
  it('where a newer program wrote it', async () => {
    const folder = await copyOf(folders.sealed)
    await writeFile(join(folder, 'format.json'), JSON.stringify({ format: 99 }))
    await expect(stores.open(folder)).rejects.toThrow(/says format 99, and this program reads format 2/)
    await expect(stores.open(folder)).rejects.toBeInstanceOf(StoreUnusable)
  })

  it('where another process holds it, until that one ends', async () => {
    const folder = await copyOf(folders.sealed)
    const api = createRequire(import.meta.url).resolve('@duckdb/node-api')
    const program = `const { DuckDBInstance } = require(${JSON.stringify(api)})
      DuckDBInstance.create(${JSON.stringify(join(folder, 'lock.duckdb'))}).then((held) => {
        globalThis.held = held; console.log('held'); process.stdin.resume() })`
    const other = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] })
    await once(other.stdout, 'data')
    const refused = stores.open(folder)
    await expect(refused).rejects.toThrow(`the data folder ${folder} is in use by another process`)
    await expect(refused).rejects.toBeInstanceOf(StoreUnusable)
    other.kill('SIGKILL')
    await once(other, 'exit')
    expect(await namesIn(await stores.open(folder), GRID)).toEqual(BOTH)
  })

  it('where it cannot be a folder', async () => {
    const folder = await stores.newFolder()
    await writeFile(join(folder, 'taken'), '')
    await expect(stores.open(join(folder, 'taken'))).rejects.toThrow(/cannot be used/)
    await expect(stores.open(join(folder, 'taken'))).rejects.not.toThrow('\n')
    await mkdir(join(folder, 'locked', 'lock.duckdb'), { recursive: true })
    await expect(stores.open(join(folder, 'locked'))).rejects.toThrow(/cannot be used/)
  })
})

describe('a clock that was set back', () => {
  it('gives no open file the number of an earlier one', async () => {
    const folder = await copyOf(folders.sealed)
    vi.spyOn(Date, 'now').mockReturnValue(1_000)
    const store = await stores.open(folder)
    await write(store, GRID, { spans: [{ trace: 'c', id: '3' }] })
    await write(store, OTHER_GRID, FIRST)
    await store.settle()
    expect(await namesIn(store, GRID)).toEqual([...BOTH, 'span c/3'].sort())
    expect(await namesIn(store, OTHER_GRID)).toEqual(namesOf(FIRST))
  })
})
