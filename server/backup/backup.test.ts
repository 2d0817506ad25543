import { appendFile, chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ControlStoreWithAuthority } from '../control/authority-store.ts'
import { openSqliteControlStore } from '../control/sqlite/open-control-store.ts'
import { MS_PER_HOUR } from '../storage/conformance/test-time.ts'
import type { DuckDbStore } from '../storage/duckdb/duckdb-store.ts'
import { GRID, namesIn, TestStores, write } from '../storage/duckdb/testing/test-store.ts'
import { type Backup, type Backups, type BackupsOptions, createBackups } from './backups.ts'
import { restoreBackup } from './restore.ts'

const stores = new TestStores()
let folder: string
let dataDir: string
let target: string
let store: DuckDbStore
let control: ControlStoreWithAuthority
let backups: Backups

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-backup-'))
  dataDir = join(folder, 'data')
  target = join(folder, 'backup')
  store = await stores.open(join(dataDir, 'telemetry'))
  control = await openSqliteControlStore(join(dataDir, 'control.sqlite'))
  backups = backupsWith({})
})
afterEach(async () => {
  await control.close()
  await stores.dispose()
  await rm(folder, { recursive: true, force: true })
})

function backupsWith(options: Partial<BackupsOptions>): Backups {
  const telemetry = store
  const plain = { telemetry, control, dataDir, clock: Date.now, keptFreeBytes: async () => 0, report: () => undefined }
  return createBackups({ ...plain, ...options })
}

async function made(path = target, by = backups): Promise<Backup> {
  const { id } = await by.start(path)
  await expect.poll(() => by.find(id)?.state, { interval: 5, timeout: 20_000 }).not.toBe('running')
  return by.find(id) as Backup
}

async function writeHour(hour: number, id: string): Promise<void> {
  await write(store, GRID, { spans: [{ trace: id, id, atMs: hour * MS_PER_HOUR }] })
}

let restores = 0

/** The spans of the backup, as a server would find them. */
async function restoredNames(): Promise<string[]> {
  const restored = join(folder, `restored-${++restores}`)
  await restoreBackup(target, restored, () => undefined)
  const opened = await stores.open(join(restored, 'telemetry'))
  return await namesIn(opened, GRID)
}

async function copiesIn(path = target): Promise<string[]> {
  return (await readdir(join(path, 'files'), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

describe('a backup', () => {
  it('has telemetry and control data, and a store opens on it', async () => {
    const grid = await control.grids.create({ name: 'Shop' })
    await writeHour(0, '1')
    await writeHour(3, '2')
    expect(await made()).toMatchObject({ state: 'done', reason: null, files: 5, filesCopied: 5, bytesKept: 0 })
    expect(await restoredNames()).toEqual(['span 1/1', 'span 2/2'])
    const restored = await openSqliteControlStore(join(folder, `restored-${restores}`, 'control.sqlite'))
    expect(await restored.grids.find(grid.id)).toEqual(grid)
    await restored.close()
  })

  it('can be read by nobody but its owner', async () => {
    await made()
    expect((await stat(target)).mode & 0o077).toBe(0)
    const copies = await copiesIn()
    expect((await stat(copies.find((path) => path.includes('control.sqlite')) ?? '')).mode & 0o077).toBe(0)
  })

  it('copies only what has changed since the last one in its folder, and removes what is gone', async () => {
    for (const hour of [0, 1, 2]) await writeHour(hour, `${hour + 1}`)
    const first = await made()
    await writeHour(2, '9')
    const second = await made()
    // The hour that changed, and control data.
    expect(second).toMatchObject({ state: 'done', files: 6, filesCopied: 2 })
    expect(second.bytesKept).toBeGreaterThan(0)
    expect(second.bytesCopied).toBeLessThan(first.bytesCopied)
    expect(await copiesIn()).toHaveLength(6)
    expect(await restoredNames()).toEqual(['span 1/1', 'span 2/2', 'span 3/3', 'span 9/9'])
    await store.compact(Date.now())
    // The hours, the day that they are rolled up into, and control data.
    expect(await made()).toMatchObject({ state: 'done', files: 7, filesCopied: 5 })
    expect(await copiesIn()).toHaveLength(7)
    expect(await restoredNames()).toEqual(['span 1/1', 'span 2/2', 'span 3/3', 'span 9/9'])
  })

  it('copies anew what is no longer there as it was', async () => {
    await writeHour(0, '1')
    await made()
    for (const copy of await copiesIn()) if (copy.includes('.duckdb')) await appendFile(copy, 'x')
    expect(await made()).toMatchObject({ state: 'done', filesCopied: 2 })
    expect(await restoredNames()).toEqual(['span 1/1'])
  })

  it('that fails leaves the earlier one as it was', async () => {
    await writeHour(0, '1')
    await made()
    await writeHour(0, '2')
    const failing = backupsWith({ control: { copyTo: () => Promise.reject(new Error('no control data today')) } })
    expect(await made(target, failing)).toMatchObject({ state: 'failed', reason: 'no control data today' })
    expect(await restoredNames()).toEqual(['span 1/1'])
    expect(await made()).toMatchObject({ state: 'done' })
    expect(await restoredNames()).toEqual(['span 1/1', 'span 2/2'])
    expect(await copiesIn()).toHaveLength(4)
  })

  it('fails where the files were not held for as long as they were copied', async () => {
    const telemetry = {
      files: () => store.files(),
      holdFiles: () => store.holdFiles(),
      releaseFiles: async () => {
        await store.releaseFiles()
        return false
      },
    }
    const { state, reason } = await made(target, backupsWith({ telemetry }))
    expect([state, reason]).toEqual(['failed', expect.stringMatching(/took too long/)])
  })

  it('is not begun where it would fill the disk', async () => {
    await writeHour(0, '1')
    const { state, reason } = await made(target, backupsWith({ keptFreeBytes: async () => 2 ** 60 }))
    expect([state, reason]).toEqual(['failed', expect.stringMatching(/has no room: 1 MiB are to be copied, \d+ MiB/)])
    await store.holdFiles()
  })

  it('is made one at a time', async () => {
    const first = await backups.start(target)
    await expect(backups.start(join(folder, 'other'))).rejects.toThrow(/one is made at a time/)
    await expect.poll(() => backups.find(first.id)?.state, { timeout: 20_000 }).toBe('done')
    expect(await made()).toMatchObject({ state: 'done' })
  })

  it.each([
    ['a path that is not absolute', () => 'backup', /no absolute path/],
    ['the data folder', () => dataDir, /is in the data folder/],
    ['a folder in the data folder', () => join(dataDir, 'a', 'b'), /is in the data folder/],
    ['another data folder', () => join(folder, 'other'), /holds something that is no backup/],
    ['a file', () => join(folder, 'file'), /cannot be used/],
  ])('is refused for %s', async (_, path, reason) => {
    await mkdir(join(folder, 'other', 'telemetry'), { recursive: true })
    await writeFile(join(folder, 'file'), '')
    await expect(backups.start(path())).rejects.toThrow(reason)
    expect(await made()).toMatchObject({ state: 'done' })
  })
})

describe('restoring', () => {
  const restored = () => restoreBackup(target, join(folder, 'restored'), () => undefined)

  it('refuses a folder with data', async () => {
    await made()
    await expect(restoreBackup(target, dataDir, () => undefined)).rejects.toThrow(/holds data already/)
  })

  it('refuses a folder without a backup, and one whose first backup was not finished', async () => {
    await expect(restored()).rejects.toThrow(/there is no backup in it/)
    await made(target, backupsWith({ keptFreeBytes: async () => 2 ** 60 }))
    await expect(restored()).rejects.toThrow(/was never finished/)
  })

  it.each([
    ['a file is missing', (copy: string) => rm(copy), /\.duckdb\.\w+ is missing/],
    ['a file is too long', (copy: string) => appendFile(copy, 'x'), /has \d+ bytes instead of \d+/],
    ['a byte is wrong', flipByte, /is damaged/],
  ])('refuses a backup where %s, and leaves nothing behind', async (_, damage, reason) => {
    await writeHour(0, '1')
    await made()
    const copy = (await copiesIn()).find((path) => path.includes('.duckdb')) ?? ''
    await chmod(copy, 0o600)
    await damage(copy)
    await expect(restored()).rejects.toThrow(reason)
    expect(await readdir(join(folder, 'restored')).catch(() => [])).toEqual([])
  })

  it.each([
    ['says nothing', '{}', /is damaged/],
    ['leads elsewhere', manifestOf('../../elsewhere'), /is damaged/],
    ['is of a newer program', '{"format": 2}', /only a newer version of Faultline restores/],
  ])('refuses a manifest that %s', async (_, manifest, reason) => {
    await mkdir(target)
    await writeFile(join(target, 'backup.json'), manifest)
    await expect(restored()).rejects.toThrow(reason)
  })
})

async function flipByte(path: string): Promise<void> {
  const bytes = await readFile(path)
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
  await writeFile(path, bytes)
}

function manifestOf(name: string): string {
  const file = { name, copy: 'files/x', bytes: 0, sha256: '0'.repeat(64), changedAtMs: 0 }
  return JSON.stringify({ format: 1, startedAt: '', finishedAt: '', files: [file] })
}
