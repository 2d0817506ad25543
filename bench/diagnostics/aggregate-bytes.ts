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
    ...(await bytesOfTables(dayFiles, Object.keys(DAY_FILE_TABLES.requests), minutes)),
  ]
  return { minutes, perDay, totalMb: perDay.reduce((sum, { megabytes }) => sum + megabytes, 0) }
}

async function bytesOfTables(files: string[], tables: string[], minutes: number): Promise<AggregateBytes['perDay']> {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-bench-'))
  try {
    return await readHours(files, async (session) => {
      const perDay: AggregateBytes['perDay'] = []
      for (const table of tables) {
        const [path, emptyPath] = [join(folder, `${table}.duckdb`), join(folder, `${table}-empty.duckdb`)]
        const rows = await copyTable(session, table, files.length, path)
        await copyTable(session, `${table} LIMIT 0`, files.length, emptyPath)
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
async function copyTable(session: Session, table: string, files: number, path: string): Promise<number> {
  await attachFile(session, path, 'copy', {
    blockSizeBytes: HOUR_FILE_BLOCK_BYTES,
    rowsPerGroup: HOUR_FILE_ROWS_PER_GROUP,
    damagedFolder: '',
    warn: console.error,
  })
  let rows = 0
  for (let i = 0; i < files; i++) {
    await session.run(`CREATE TABLE copy.of_${i} AS SELECT * FROM hour_${i}.${table}`)
    const [found] = await session.rows(`SELECT count(*)::DOUBLE AS n FROM copy.of_${i}`)
    rows += Number(found?.['n'])
  }
  await session.run('CHECKPOINT copy')
  await session.run('DETACH copy')
  return rows
}
