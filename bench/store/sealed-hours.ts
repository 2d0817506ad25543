import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { Session } from '../../server/storage/duckdb/engine/session.ts'
import { parseDayFileName, parseHourFileName } from '../../server/storage/duckdb/layout.ts'
import { DEFAULT_DUCKDB_OPTIONS } from '../../server/storage/duckdb/options.ts'
import { runCompiled } from '../run-compiled.ts'

/** Where the server keeps telemetry within its data folder. */
export function telemetryFolder(dataFolder: string): string {
  return join(dataFolder, 'telemetry')
}

/** Seals all that a stopped server left unsealed, as it would have done itself sooner or later. */
export async function sealAll(dataFolder: string): Promise<void> {
  await runCompiled('store/seal-process.js', { folder: telemetryFolder(dataFolder), compact: false })
}

/** The same, and brings every hour into its final order. */
export async function compactAll(dataFolder: string): Promise<void> {
  await runCompiled('store/seal-process.js', { folder: telemetryFolder(dataFolder), compact: true })
}

/** The files of a Grid's hours, oldest first. */
export function hourFiles(dataFolder: string, gridId: string): string[] {
  return filesOfGrid(dataFolder, gridId, (name) => parseHourFileName(name) !== undefined)
}

/** The files that days of its requests are rolled up into. */
export function requestDays(dataFolder: string, gridId: string): string[] {
  return filesOfGrid(dataFolder, gridId, (name) => parseDayFileName(name)?.kind === 'requests')
}

function filesOfGrid(dataFolder: string, gridId: string, isWanted: (name: string) => boolean): string[] {
  const folder = join(telemetryFolder(dataFolder), 'grids', gridId)
  return readdirSync(folder)
    .filter(isWanted)
    .sort()
    .map((name) => join(folder, name))
}

export function bytesOf(files: string[]): number {
  return files.reduce((sum, file) => sum + statSync(file).size, 0)
}

/** Hour files of a stopped server, attached to a database of one's own as `hour_0`, `hour_1`, …, only to be read. */
export async function readHours<T>(files: string[], read: (session: Session) => Promise<T>): Promise<T> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(DEFAULT_DUCKDB_OPTIONS.threads),
    memory_limit: `${Math.floor(DEFAULT_DUCKDB_OPTIONS.memoryLimitBytes / 1024)}KiB`,
  })
  const session = new Session(await instance.connect(), console.error)
  try {
    for (const [i, file] of files.entries()) await session.run(`ATTACH '${file}' AS hour_${i} (READ_ONLY)`)
    return await read(session)
  } finally {
    session.close()
    instance.closeSync()
  }
}

export async function countSpans(files: string[]): Promise<number> {
  if (files.length === 0) return 0
  const sql = files.map((_, i) => `SELECT count(*) AS n FROM hour_${i}.spans`).join(' UNION ALL ')
  const [row] = await readHours(files, (session) => session.rows(`SELECT sum(n)::DOUBLE AS n FROM (${sql})`))
  return Number(row?.['n'])
}
