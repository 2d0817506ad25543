import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StoreUnusable } from '../../domain/store-errors.ts'
import { NS_PER_HOUR } from '../../domain/time-window.ts'
import type { DayKind } from './rolled/day-file.ts'
import { FORMAT_VERSION } from './schema.ts'

/** Where the store keeps its files: `open/<number>.duckdb`, `grids/<grid>/<hour>-<generation>.duckdb`, `grids/<grid>/<day>-<generation>-<points or requests>.duckdb`, and a note of the format. */
export interface Layout {
  root: string
  openFolder: string
  gridsFolder: string
  temporaryFolder: string
  /** Files that could not be read are kept here. */
  damagedFolder: string
  lockFile: string
}

const FORMAT_NOTE = 'format.json'
const NUMBERS_NOTE = 'open-numbers.json'
/** What a store needs besides its files of records. */
export const NOTES = [FORMAT_NOTE, NUMBERS_NOTE]

/** Makes the folders and refuses data that a newer program wrote. */
export async function openLayout(root: string): Promise<Layout> {
  const layout: Layout = {
    root,
    openFolder: join(root, 'open'),
    gridsFolder: join(root, 'grids'),
    temporaryFolder: join(root, 'temporary'),
    damagedFolder: join(root, 'damaged'),
    lockFile: join(root, 'lock.duckdb'),
  }
  try {
    for (const folder of [layout.openFolder, layout.gridsFolder, layout.temporaryFolder, layout.damagedFolder])
      await mkdir(folder, { recursive: true })
    await checkFormat(join(root, FORMAT_NOTE))
    await syncFolder(root)
  } catch (error) {
    if (error instanceof StoreUnusable) throw error
    throw new StoreUnusable(`the data folder ${root} cannot be used: ${(error as Error).message}`)
  }
  return layout
}

async function checkFormat(file: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  const found = text === undefined ? 0 : (JSON.parse(text) as { format?: unknown }).format
  if (found === FORMAT_VERSION) return
  // Files of an earlier format are brought up to date where they are first opened.
  if (typeof found === 'number' && found < FORMAT_VERSION)
    return await writeWhole(file, JSON.stringify({ format: FORMAT_VERSION }))
  throw new StoreUnusable(
    `${file} says format ${String(found)}, and this program reads format ${FORMAT_VERSION}: start the newer program that wrote it, or name another data folder`,
  )
}

async function writeWhole(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text, { flush: true })
  await rename(`${file}.new`, file)
}

/** What an earlier process was in the middle of when it ended is of no use to this one. */
export async function clearTemporary({ temporaryFolder }: Layout): Promise<void> {
  for (const name of await readdir(temporaryFolder))
    await rm(join(temporaryFolder, name), { recursive: true, force: true })
}

/** More open files than a process will ever make. */
const RESERVED_NUMBERS = 1_000_000_000

/**
 * The first of the numbers that this process may give to open files. No number is given twice, whatever the clock says, because
 * an hour file takes the rows of a number that it knows for sealed.
 */
export async function reserveOpenNumbers(layout: Layout): Promise<number> {
  const file = join(layout.root, NUMBERS_NOTE)
  const text = await readFile(file, 'utf8').catch(() => '{}')
  const { next = 0 } = JSON.parse(text) as { next?: number }
  const first = Math.max(next, Date.now(), ...(await openFileNumbers(layout)).map((number) => number + 1))
  await writeWhole(file, JSON.stringify({ next: first + RESERVED_NUMBERS }))
  await syncFolder(layout.root)
  return first
}

const GRID_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** A UUID in lower case. */
export function isGridId(text: string): boolean {
  return GRID_ID.test(text)
}

/** The Grids that have a folder. Others may have put something there that is not ours. */
export async function gridFolders(layout: Layout): Promise<string[]> {
  const entries = await readdir(layout.gridsFolder, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory() && isGridId(entry.name)).map((entry) => entry.name)
}

/** What is left of a Grid beside its hours: its folder, and hours that could not be read. */
export async function removeGridFiles({ gridsFolder, damagedFolder }: Layout, gridId: string): Promise<void> {
  await rm(join(gridsFolder, gridId), { recursive: true, force: true })
  for (const name of await readdir(damagedFolder))
    if (name.includes(gridId)) await rm(join(damagedFolder, name), { force: true })
}

/** Numbers of the open files that are there, oldest first. */
export async function openFileNumbers(layout: Layout): Promise<number[]> {
  const names = await readdir(layout.openFolder)
  return names
    .filter((name) => /^\d+\.duckdb$/.test(name))
    .map((name) => Number.parseInt(name, 10))
    .sort((a, b) => a - b)
}

export function openFilePath(layout: Layout, number: number): string {
  return join(layout.openFolder, `${number}.duckdb`)
}

/** Hours are counted since the epoch, those before it downwards. */
export function hourOf(ns: bigint): number {
  const truncated = ns / NS_PER_HOUR
  return Number(ns < 0n && truncated * NS_PER_HOUR !== ns ? truncated - 1n : truncated)
}

/** The same in SQL, where division cuts off towards zero too. */
export function hourOfColumn(column: string): string {
  return `(${column} // ${NS_PER_HOUR} - (${column} < 0 AND ${column} % ${NS_PER_HOUR} <> 0)::INTEGER)::INTEGER`
}

const NS_MIN = -(1n << 63n)
const NS_MAX = (1n << 63n) - 1n

/** The first and the last nanosecond of an hour that a 64-bit number can name: the outermost hours are cut. */
export function nsRangeOfHour(hour: number): { firstNs: bigint; lastNs: bigint } {
  const firstNs = BigInt(hour) * NS_PER_HOUR
  const lastNs = firstNs + NS_PER_HOUR - 1n
  return { firstNs: firstNs < NS_MIN ? NS_MIN : firstNs, lastNs: lastNs > NS_MAX ? NS_MAX : lastNs }
}

/** An hour's file is replaced by one of the next generation when it is rewritten, in the end by one with nothing but sums. */
export function hourFilePath(
  layout: Layout,
  gridId: string,
  hour: number,
  generation: number,
  isStripped: boolean,
): string {
  const name = new Date(hour * 3_600_000).toISOString().slice(0, 13).replaceAll('-', '')
  return join(layout.gridsFolder, gridId, `${name}-${generation}${isStripped ? '-sums' : ''}.duckdb`)
}

/** What a file name stands for, or undefined for a file that is not ours. */
export function parseHourFileName(name: string): { hour: number; generation: number; isStripped: boolean } | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)-(\d+)(-sums)?\.duckdb$/.exec(name)
  if (!parts) return undefined
  const [, year, month, day, hour, generation, stripped] = parts
  const hourNo = Date.parse(`${year}-${month}-${day}T${hour}:00:00Z`) / 3_600_000
  return { hour: hourNo, generation: Number(generation), isStripped: stripped !== undefined }
}

/** What a day is rolled up into. Days are counted since the epoch, as hours are. */
export function dayFileName(kind: DayKind, day: number, generation: number): string {
  return `${new Date(day * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')}-${generation}-${kind}.duckdb`
}

export function parseDayFileName(name: string): { kind: DayKind; day: number; generation: number } | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)-(\d+)-(points|requests)\.duckdb$/.exec(name)
  if (!parts) return undefined
  const day = Date.parse(`${parts[1]}-${parts[2]}-${parts[3]}T00:00:00Z`) / 86_400_000
  return { kind: parts[5] as DayKind, day, generation: Number(parts[4]) }
}

/** A new file survives a power failure only once its folder's entry does. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}
