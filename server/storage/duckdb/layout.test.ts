import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  hourFilePath,
  hourOf,
  nsRangeOfHour,
  openLayout,
  parseHourFileName,
  removeGridFiles,
  reserveOpenNumbers,
} from './layout.ts'
import { GRID, OTHER_GRID, TestStores } from './testing/test-store.ts'

const stores = new TestStores()

afterEach(async () => {
  vi.restoreAllMocks()
  await stores.dispose()
})

const MIN = -(1n << 63n)
const MAX = (1n << 63n) - 1n
const HOUR = 3_600_000_000_000n

describe('hours', () => {
  it.each([
    [0n, 0],
    [HOUR - 1n, 0],
    [HOUR, 1],
    [-1n, -1],
    [-HOUR, -1],
    [-HOUR - 1n, -2],
    [MIN, -2_562_048],
    [MAX, 2_562_047],
  ])('begin at whole hours, also before the epoch: %s is in hour %s', (ns, hour) => {
    expect(hourOf(ns)).toBe(hour)
    const { firstNs, lastNs } = nsRangeOfHour(hour)
    expect(firstNs <= ns && ns <= lastNs && firstNs >= MIN && lastNs <= MAX).toBe(true)
  })

  it('are told by the names of their files', async () => {
    const layout = await openLayout(await stores.newFolder())
    for (const hour of [0, -1, 492_000, -2_562_048, 2_562_047]) {
      for (const isStripped of [false, true]) {
        const name = hourFilePath(layout, GRID, hour, 3, isStripped).split('/').at(-1) as string
        expect(parseHourFileName(name)).toEqual({ hour, generation: 3, isStripped })
      }
    }
    for (const name of ['20260301T10-1.duckdb.wal', '20260301T10.duckdb', 'x20260301T10-1.duckdb', ''])
      expect(parseHourFileName(name)).toBeUndefined()
  })
})

describe('numbers of open files', () => {
  it('are never given twice, whatever the clock says', async () => {
    const layout = await openLayout(await stores.newFolder())
    const first = await reserveOpenNumbers(layout)
    vi.spyOn(Date, 'now').mockReturnValue(5)
    const second = await reserveOpenNumbers(layout)
    await writeFile(join(layout.openFolder, `${second + 7}.duckdb`), '')
    await writeFile(join(layout.root, 'open-numbers.json'), '{}')
    const third = await reserveOpenNumbers(layout)
    expect(second).toBeGreaterThan(first + 1_000_000)
    expect(third).toBeGreaterThan(second + 7)
    expect(Number.isSafeInteger(third)).toBe(true)
  })
})

describe('the note of the format', () => {
  it('is written once, whole, and refused in one line where it makes no sense', async () => {
    const folder = await stores.newFolder()
    await openLayout(folder)
    expect(await readFile(join(folder, 'format.json'), 'utf8')).toBe('{"format":2}')
    await openLayout(folder)
    await writeFile(join(folder, 'format.json'), '{"format":')
    await expect(openLayout(folder)).rejects.toThrow(/cannot be used/)
  })

  it('is raised before anything of an earlier format is brought up to date', async () => {
    const folder = await stores.newFolder()
    await writeFile(join(folder, 'format.json'), '{"format":1}')
    await openLayout(folder)
    expect(await readFile(join(folder, 'format.json'), 'utf8')).toBe('{"format":2}')
  })
})

describe('what is left of a Grid', () => {
  it('is removed, hours that could not be read among it, and nothing of another Grid', async () => {
    const layout = await openLayout(await stores.newFolder())
    for (const id of [GRID, OTHER_GRID]) {
      await mkdir(join(layout.gridsFolder, id))
      await writeFile(join(layout.gridsFolder, id, 'left.over'), '')
      await writeFile(join(layout.damagedFolder, `1-${id}-20260301T10-1.duckdb`), '')
    }
    await removeGridFiles(layout, GRID)
    expect(await readdir(layout.gridsFolder)).toEqual([OTHER_GRID])
    expect(await readdir(layout.damagedFolder)).toEqual([`1-${OTHER_GRID}-20260301T10-1.duckdb`])
  })
})
