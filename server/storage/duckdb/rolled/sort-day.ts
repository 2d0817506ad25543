import { join } from 'node:path'
import type { Session } from '../engine/session.ts'
import { HOUR_FILE_BLOCK_BYTES, HOUR_FILE_ROWS_PER_GROUP } from '../files/attachable-file.ts'
import { attachFile, logBytesOf, removeFile } from '../files/data-file.ts'
import type { Layout } from '../layout.ts'
import { createTables } from '../schema.ts'
import { DAY_FILE_TABLES } from './day-file.ts'

/** Sorted so many rows at a time, to keep to the memory limit. */
const ROWS_PER_RUN = 500_000

const SORTED = {
  numbers_5m: 'first_ns',
  numbers_1h: 'first_ns',
  distributions_5m: 'last_ns',
  distributions_1h: 'last_ns',
} as const

/**
 * Writes a day, as its hours were added, series by series to a file of its own and says where that is: the cells of one series
 * then lie together, which is what most questions ask about. `kept` is a condition on series.
 */
export async function writeSorted(session: Session, layout: Layout, from: string, kept = 'true'): Promise<string> {
  const to = `sorted_${from}`
  const path = join(layout.temporaryFolder, `${to}.duckdb`)
  await removeFile(path)
  try {
    await attachFile(session, path, to, {
      ...{ blockSizeBytes: HOUR_FILE_BLOCK_BYTES, rowsPerGroup: HOUR_FILE_ROWS_PER_GROUP },
      ...{ damagedFolder: layout.damagedFolder, warn: () => undefined },
    })
    try {
      await session.transact(...createTables(to, DAY_FILE_TABLES.points))
      await session.run(`INSERT INTO ${to}.rolled SELECT * FROM ${from}.rolled ORDER BY 1`)
      await session.run(`INSERT INTO ${to}.series SELECT * FROM ${from}.series WHERE ${kept} ORDER BY 1`)
      for (const [table, time] of Object.entries(SORTED))
        await copySorted(session, from, to, { table, order: `series_no, ${time}`, kept })
      await session.run(`CHECKPOINT ${to}`)
    } finally {
      await session.evenIfStopped(`DETACH ${to}`)
    }
    if ((await logBytesOf(path)) > 0) throw new Error(`the sorted day ${path} still has a log`)
    return path
  } catch (error) {
    await removeFile(path).catch(() => undefined)
    throw error
  }
}

interface SortedTable {
  table: string
  order: string
  kept: string
}

async function copySorted(
  session: Session,
  from: string,
  to: string,
  { table, order, kept }: SortedTable,
): Promise<void> {
  const [found] = await session.rows(
    `SELECT count(*)::DOUBLE AS rows, coalesce(max(series_no), 0) AS last FROM ${from}.${table}`,
  )
  const [rows, last] = [found?.['rows'] as number, found?.['last'] as number]
  const seriesPerRun = Math.max(1, Math.ceil(((last + 1) * ROWS_PER_RUN) / Math.max(1, rows)))
  for (let first = 0; rows > 0 && first <= last; first += seriesPerRun)
    await session.run(
      `INSERT INTO ${to}.${table} SELECT * FROM ${from}.${table}
       WHERE series_no BETWEEN ${first} AND ${first + seriesPerRun - 1} AND ${kept} ORDER BY ${order}`,
    )
}
