import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Session } from '../../server/storage/duckdb/engine/session.ts'
import { HOUR_FILE_BLOCK_BYTES, HOUR_FILE_ROWS_PER_GROUP } from '../../server/storage/duckdb/files/attachable-file.ts'
import { attachFile } from '../../server/storage/duckdb/files/data-file.ts'
import { DAY_FILE_TABLES } from '../../server/storage/duckdb/rolled/day-file.ts'
import { HOUR_FILE_TABLES } from '../../server/storage/duckdb/schema.ts'
import { type Figure, figure } from '../report/table.ts'
import { readHours } from '../store/sealed-hours.ts'

const MINUTES_PER_DAY = 1440
const BYTES_PER_MB = 1_000_000
const IS_AGGREGATE = /^minute_|_corrections$|^message_links$/

/** What the aggregates of a whole day take, by table and together, if all minutes are like those in the files. */
export interface AggregateBytes {
  minutes: number
  perDay: { table: string; megabytes: number; rows: number }[]
  totalMb: number
}

/**
 * Files of hours, and of the days that they are rolled up into, of a stopped server. Their aggregates are written to files of
 * their own: what is left of a block is shared in life, and so is what a file without a single row takes, which is not counted.
 */
export async function aggregateBytes(hourFiles: string[], dayFiles: string[]): Promise<AggregateBytes> {
  const minutes = await readHours(hourFiles, (session) => minutesIn(session, hourFiles.length))
  const perDay = [
    ...(await bytesOfTables(
      hourFiles,
      Object.keys(HOUR_FILE_TABLES).filter((name) => IS_AGGREGATE.test(name)),
      minutes,
    )),
    ...(await bytesOfDays(dayFiles, minutes)),
  ]
  return { minutes, perDay, totalMb: perDay.reduce((sum, { megabytes }) => sum + megabytes, 0) }
}

/**
 * A day has one such file, and most of its tables fit into a block: they are written with as many rows as a whole day has. Packed
 * counts that are there twice would take less than twice the space, and are reckoned as those of hours are.
 */
async function bytesOfDays(files: string[], minutes: number): Promise<AggregateBytes['perDay']> {
  const tables = Object.entries(DAY_FILE_TABLES.requests)
  const isPacked = ([, columns]: [string, string]) => /\bcounts\b/.test(columns)
  const names = (some: [string, string][]) => some.map(([name]) => name)
  const times = Math.round(MINUTES_PER_DAY / minutes)
  return [
    ...(await bytesOfTables(files, names(tables.filter(isPacked)), minutes)),
    ...(await bytesOfTables(files, names(tables.filter((table) => !isPacked(table))), MINUTES_PER_DAY, times)),
  ]
}

/** The rows are written so many times. */
async function bytesOfTables(
  files: string[],
  tables: string[],
  minutes: number,
  times = 1,
): Promise<AggregateBytes['perDay']> {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-bench-'))
  try {
    return await readHours(files, async (session) => {
      const perDay: AggregateBytes['perDay'] = []
      for (const table of tables) {
        const [path, emptyPath] = [join(folder, `${table}.duckdb`), join(folder, `${table}-empty.duckdb`)]
        const rows = await copyTable(session, table, files.length, times, path)
        await copyTable(session, `${table} LIMIT 0`, files.length, 1, emptyPath)
        const megabytes = (statSync(path).size - statSync(emptyPath).size) / BYTES_PER_MB
        perDay.push({
          table,
          megabytes: (megabytes / minutes) * MINUTES_PER_DAY,
          rows: (rows / minutes) * MINUTES_PER_DAY,
        })
      }
      return perDay
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export function bytesFigures({ minutes, perDay }: AggregateBytes): Figure[] {
  return [
    figure('minutes looked at', minutes, ''),
    ...perDay.map(({ table, megabytes, rows }) => ({
      name: `  ${table}`,
      value: `${figure('', megabytes, 'MB').value}, ${figure('', rows, 'rows').value}`,
    })),
  ]
}

async function minutesIn(session: Session, files: number): Promise<number> {
  const parts = Array.from({ length: files }, (_, i) => `SELECT DISTINCT ${i}, minute FROM hour_${i}.minute_origins`)
  const [found] = await session.rows(`SELECT count(*)::DOUBLE AS n FROM (${parts.join(' UNION ALL ')})`)
  return Number(found?.['n'])
}

/** One file after another, each in its own order, as they are in life. Resolves with how many rows there are. */
async function copyTable(session: Session, table: string, files: number, times: number, path: string): Promise<number> {
  await attachFile(session, path, 'copy', {
    blockSizeBytes: HOUR_FILE_BLOCK_BYTES,
    rowsPerGroup: HOUR_FILE_ROWS_PER_GROUP,
    damagedFolder: '',
    warn: console.error,
  })
  let rows = 0
  for (let i = 0; i < files; i++) {
    await session.run(`CREATE TABLE copy.of_${i} AS SELECT * FROM hour_${i}.${table}`)
    for (let time = 1; time < times; time++)
      await session.run(`INSERT INTO copy.of_${i} SELECT * FROM hour_${i}.${table}`)
    const [found] = await session.rows(`SELECT count(*)::DOUBLE AS n FROM copy.of_${i}`)
    rows += Number(found?.['n'])
  }
  await session.run('CHECKPOINT copy')
  await session.run('DETACH copy')
  return rows
}
