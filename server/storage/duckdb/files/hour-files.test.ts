import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Database } from '../engine/database.ts'
import type { Session } from '../engine/session.ts'
import { type Layout, openLayout } from '../layout.ts'
import { GRID, TestStores } from '../testing/test-store.ts'
import type { HourFile } from './hour-file.ts'
import { HourFiles } from './hour-files.ts'

const HOURS = [500_000, 500_001, 500_002, 500_003]

const stores = new TestStores()
let layout: Layout
let database: Database
let session: Session
let files: HourFiles
let warnings: string[]
let lost: number[]

beforeEach(async () => {
  layout = await openLayout(await stores.newFolder())
  await openFiles()
})

afterEach(async () => {
  await database.close()
  await stores.dispose()
})

async function openFiles(): Promise<void> {
  warnings = []
  const limits = { memoryLimitBytes: 100_000_000, threads: 1, queryTimeoutMs: 10_000 }
  database = await Database.open({ ...limits, temporaryFolder: layout.temporaryFolder })
  session = await database.connect()
  const maintenance = await database.connect()
  lost = []
  files = await HourFiles.open(maintenance, layout, {
    attachedFilesMax: 1,
    lost: (_gridId, hour) => lost.push(hour),
    replaced: () => undefined,
    warn: (text) => warnings.push(text),
  })
}

async function reopenFiles(): Promise<void> {
  await database.close()
  await openFiles()
}

/** Makes an hour that knows its own number. */
async function makeHour(hour: number): Promise<HourFile> {
  const file = await files.ensure(GRID, hour)
  const release = await files.use(file)
  await session.run(`INSERT INTO ${file.alias}.sealed VALUES (${hour})`)
  release?.()
  return file
}

/** What an hour knows of itself, or undefined where it is gone. */
async function readHour(file: HourFile): Promise<unknown> {
  const release = await files.use(file)
  if (!release) return undefined
  try {
    const [row] = await session.rows(`SELECT max(open_no)::INTEGER AS hour FROM ${file.alias}.sealed`)
    return row?.['hour']
  } finally {
    release()
  }
}

describe('hour files', () => {
  it('can be used at any moment while others are let go to make room', async () => {
    const made = await Promise.all(HOURS.map((hour) => makeHour(hour)))
    const reads = Array.from({ length: 200 }, (_, i) => {
      const file = made[(i * 7) % made.length] as HourFile
      return i % 5 === 0 ? file.detachUnused().then(() => file.hour) : readHour(file)
    })
    const expected = reads.map((_, i) => HOURS[(i * 7) % made.length])
    expect(await Promise.all(reads)).toEqual(expected)
    expect(warnings).toEqual([])
    expect(files.hours(GRID).sort()).toEqual(HOURS)
  })

  it('are removed when nobody uses them any more, and cannot be used from then on', async () => {
    const file = await makeHour(HOURS[0] as number)
    const release = await files.use(file)
    const removed = files.remove(GRID, file.hour)
    const [row] = await session.rows(`SELECT count(*)::INTEGER AS n FROM ${file.alias}.sealed`)
    expect(row).toEqual({ n: 1 })
    expect(await files.use(file)).toBeUndefined()
    release?.()
    await removed
    expect(await readdir(layout.gridsFolder)).toEqual([])
    expect(await readHour(file)).toBeUndefined()
  })

  it('do not take the place of an hour that was rewritten while its removal waited', async () => {
    const file = await makeHour(HOURS[0] as number)
    await file.detachUnused()
    const rewritten = join(layout.temporaryFolder, 'rewritten.duckdb')
    await copyFile(file.path, rewritten)
    await copyFile(`${file.path}.wal`, `${rewritten}.wal`).catch(() => undefined)
    const turn = files.exclusively(GRID, file.hour, () =>
      files.replace(file, rewritten, { isStripped: false, sums: 'same' }),
    )
    const removed = files.exclusively(GRID, file.hour, () => files.remove(GRID, file.hour))
    await Promise.all([turn, removed])
    await files.deleteUnused(file)
    await reopenFiles()
    expect(files.hours(GRID)).toEqual([])
  })

  it('keep the newer of two generations that a crash has left', async () => {
    const file = await makeHour(HOURS[0] as number)
    await file.detachUnused()
    await copyFile(file.path, file.path.replace('-1.duckdb', '-2.duckdb'))
    await copyFile(`${file.path}.wal`, file.path.replace('-1.duckdb', '-2.duckdb.wal'))
    await reopenFiles()
    expect(files.all().map(({ generation }) => generation)).toEqual([2])
    expect(await readHour(files.all()[0] as HourFile)).toBe(HOURS[0])
    expect((await readdir(join(layout.gridsFolder, GRID))).filter((name) => name.includes('-1.'))).toEqual([])
  })

  it('are made whole where a crash came between a file and its tables, or before its first byte', async () => {
    const [headOnly, empty] = [HOURS[0], HOURS[1]] as [number, number]
    const [first, second] = [await files.ensure(GRID, headOnly), await files.ensure(GRID, empty)]
    await Promise.all([first.detachUnused(), second.detachUnused()])
    await rm(`${first.path}.wal`)
    await rm(`${second.path}.wal`)
    await writeFile(second.path, '')
    await reopenFiles()
    expect(await readHour(files.find(GRID, headOnly) as HourFile)).toBeNull()
    expect(await readHour(files.find(GRID, empty) as HourFile)).toBeUndefined()
    expect(files.hours(GRID)).toEqual([headOnly])
    expect(await readHour(await makeHour(empty))).toBe(empty)
    expect(warnings).toEqual([])
  })

  it('are set aside once where they are damaged, however many use them, and a new file takes their place', async () => {
    const file = await makeHour(HOURS[0] as number)
    await file.detachUnused()
    await writeFile(file.path, 'not a database, and longer than the head of one'.repeat(1000))
    const made = files.use(file).then(() => makeHour(file.hour))
    expect(await Promise.all(Array.from({ length: 5 }, () => readHour(file)))).toEqual(Array(5).fill(undefined))
    expect(await readHour(await made)).toBe(file.hour)
    expect(warnings).toEqual([expect.stringContaining('set aside')])
    expect(lost).toEqual([file.hour])
    expect(await readdir(layout.damagedFolder)).toHaveLength(2)
  })

  it('stay where something else than damage keeps them from being attached', async () => {
    const file = await makeHour(HOURS[0] as number)
    await file.detachUnused()
    const attach = session.run.bind(session)
    await attach(`ATTACH '${file.path}' AS taken`)
    setTimeout(() => void attach('DETACH taken'), 100)
    expect(await readHour(file)).toBe(file.hour)
    expect(warnings).toEqual([])
  })

  it('are not looked for in folders that are none of ours', async () => {
    await makeHour(HOURS[0] as number)
    await writeFile(join(layout.gridsFolder, '.DS_Store'), '')
    await mkdir(join(layout.gridsFolder, "'; DROP TABLE spans"))
    await writeFile(join(layout.gridsFolder, GRID, 'notes.txt'), '')
    await reopenFiles()
    expect(files.all().map(({ gridId }) => gridId)).toEqual([GRID])
  })
})
