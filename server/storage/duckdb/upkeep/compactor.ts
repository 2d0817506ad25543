import { join } from 'node:path'
import type { Session } from '../engine/session.ts'
import { HOUR_FILE_BLOCK_BYTES } from '../files/attachable-file.ts'
import { checkpointFile } from '../files/checkpoint-file.ts'
import { attachFile, isDamage, logBytesOf, removeFile } from '../files/data-file.ts'
import type { HourFile } from '../files/hour-file.ts'
import type { HourFiles } from '../files/hour-files.ts'
import { rewriteLatencies } from '../latencies/rewrite-latencies.ts'
import type { Layout } from '../layout.ts'
import { addedUpRows } from '../rolled/added-up-rows.ts'
import { createTables, HOUR_FILE_TABLES } from '../schema.ts'
import { noteTimes } from '../traces/span-times.ts'
import { foldCorrections, foldedSpans, forgetFolded } from './fold-corrections.ts'
import { EVERYTHING, type KeptRows } from './matching-rows.ts'

/**
 * Rows are sorted so many at a time: sorting is what takes most of the memory that questions and sealing need as well, and they
 * wait for it. A run is one of the database's groups of rows: a group that is left half full is written again by the next run,
 * and its space stays free.
 */
const ROWS_PER_RUN = 122_880
/** A compacted file is rewritten again when so many sealings have been added to it. */
const LATE_SEALINGS_MAX = 8
/** Late spans still come for a while. */
const CLOSED_AFTER_MS = 10 * 60_000
const HOUR_MS = 3_600_000
/** With fewer rows than this a file gets small blocks, and takes a third of the space. */
const FEW_ROWS = 10_000
const FEW_ROWS_BLOCK_BYTES = 16_384

/** An hour that no more is expected of. */
export function isClosed(hour: number, nowMs: number): boolean {
  return (hour + 1) * HOUR_MS + CLOSED_AFTER_MS <= nowMs
}

/** Rewrites an hour, as sealings wrote it, in order and puts the new file in its place. */
export async function compactHour(
  session: Session,
  files: HourFiles,
  layout: Layout,
  gridId: string,
  hour: number,
): Promise<void> {
  const replaced = await files.rewriting(gridId, hour, async () => {
    const file = files.find(gridId, hour)
    if (!file?.mayBeScattered) return undefined
    const release = await files.use(file)
    if (!release) return undefined
    try {
      if (await isScattered(session, file)) return await rewriteHour(session, files, layout, file, 'all')
      file.mayBeScattered = (await logBytesOf(file.path)) > 0 && !(await checkpointFile(session, file))
      return undefined
    } catch (error) {
      if (isDamage(error as Error)) await files.examine([file])
      throw error
    } finally {
      release()
    }
  })
  // Out of the hour's turn, because it waits for the questions that read the old file.
  if (replaced) await files.deleteUnused(replaced)
}

/** Rewrites an hour without its records: what is left of it are the sums, and the names that they need. */
export async function stripHour(
  session: Session,
  files: HourFiles,
  layout: Layout,
  gridId: string,
  hour: number,
): Promise<void> {
  const replaced = await files.rewriting(gridId, hour, async () => {
    const file = files.find(gridId, hour)
    const release = file && !file.isStripped ? await files.use(file) : undefined
    if (!file || !release) return undefined
    try {
      return await rewriteHour(session, files, layout, file, 'sums')
    } finally {
      release()
    }
  })
  if (replaced) await files.deleteUnused(replaced)
}

/** To be called in the hour's turn. Returns the file that the rewritten one has replaced, which is then to be deleted out of it. */
export async function rewriteHour(
  session: Session,
  files: HourFiles,
  layout: Layout,
  file: HourFile,
  what: 'all' | 'sums',
  kept = EVERYTHING,
): Promise<HourFile> {
  const alias = `rewritten_${++rewritings}`
  const path = join(layout.temporaryFolder, `${alias}.duckdb`)
  await removeFile(path)
  try {
    const blockSizeBytes = await blockSizeFor(session, file)
    await attachFile(session, path, alias, {
      blockSizeBytes,
      damagedFolder: layout.damagedFolder,
      warn: () => undefined,
    })
    try {
      await session.transact(...createTables(alias, HOUR_FILE_TABLES))
      await copySums(session, file.alias, alias, kept)
      if (what === 'all') await copyRecords(session, file.alias, alias, file.hour, kept)
      await kept.finish(session, alias)
    } catch (error) {
      await detach(session, alias)
      throw error
    }
    return await files.marking(file.gridId, file.hour, async () => {
      await copyMarks(session, file.alias, alias).finally(() => detach(session, alias))
      if ((await logBytesOf(path)) > 0) throw new Error(`the rewritten hour ${path} still has a log`)
      await files.replace(file, path, { isStripped: what === 'sums', sums: kept.sums })
      return file
    })
  } catch (error) {
    await removeFile(path).catch(() => undefined)
    throw error
  }
}

let rewritings = 0

async function detach(session: Session, alias: string): Promise<void> {
  await session.evenIfStopped(`DETACH ${alias}`)
}

/** Few rows fill few blocks: small ones then waste less. */
async function blockSizeFor(session: Session, { alias }: HourFile): Promise<number> {
  const counts = ['spans', 'logs', 'points'].map((table) => `(SELECT count(*) FROM ${alias}.${table})`)
  const [found] = await session.rows(`SELECT ${counts.join(' + ')} AS rows`)
  return Number(found?.['rows']) < FEW_ROWS ? FEW_ROWS_BLOCK_BYTES : HOUR_FILE_BLOCK_BYTES
}

/** Traces that were marked since the copy was begun, and the end of the copy. */
async function copyMarks(session: Session, from: string, to: string): Promise<void> {
  await session.run(
    `UPDATE ${to}.traces SET shared = true WHERE NOT shared
     AND trace_no IN (SELECT trace_no FROM ${from}.traces WHERE shared)`,
  )
  await session.run(`CHECKPOINT ${to}`)
}

async function isScattered(session: Session, { alias }: HourFile): Promise<boolean> {
  const [found] = await session.rows(
    `SELECT (SELECT count(*) FROM ${alias}.sealed) AS sealings,
       (SELECT max(sealings) FROM ${alias}.compacted) AS compacted`,
  )
  const sealings = Number(found?.['sealings'])
  const compacted = found?.['compacted']
  return compacted === null ? sealings > 0 : sealings - Number(compacted) >= LATE_SEALINGS_MAX
}

/** What is kept of an hour for as long as sums are. */
async function copySums(session: Session, from: string, to: string, { where, name }: KeptRows): Promise<void> {
  await session.run(`INSERT INTO ${to}.sealed SELECT * FROM ${from}.sealed`)
  await session.run(`INSERT INTO ${to}.names SELECT name_no, ${name} FROM ${from}.names`)
  await session.run(`INSERT INTO ${to}.origins SELECT * FROM ${from}.origins WHERE ${where('origins')}`)
  for (const [table, { keys, counts }] of Object.entries(SUMS)) {
    const kept = `(SELECT * FROM ${from}.minute_${table} WHERE ${where(`minute_${table}`)})`
    await session.run(`INSERT INTO ${to}.minute_${table} BY NAME ${addedUpRows(kept, `${keys}, minute`, counts)}`)
  }
  await rewriteLatencies(session, from, to)
  await session.run(`INSERT INTO ${to}.compacted SELECT count(*) FROM ${from}.sealed`)
}

async function copyRecords(
  session: Session,
  from: string,
  to: string,
  hour: number,
  { where }: KeptRows,
): Promise<void> {
  const rows = (table: string) => `${from}.${table} WHERE ${where(table)}`
  for (const table of ['series', 'templates', 'tellings', 'message_links'])
    await session.run(`INSERT INTO ${to}.${table} SELECT * FROM ${rows(table)}`)
  await session.run(`INSERT INTO ${to}.traces SELECT * FROM ${rows('traces')} ORDER BY trace_no`)
  await session.run(`INSERT INTO ${to}.usage SELECT kind, name, sum(uses) FROM ${rows('usage')} GROUP BY kind, name`)
  await session.run(
    `INSERT INTO ${to}.failed_spans SELECT * FROM ${rows('failed_spans')} ORDER BY service_no, start_ns`,
  )
  await session.run(`INSERT INTO ${to}.drawn_spans SELECT * FROM ${rows('drawn_spans')} ORDER BY start_ns`)
  await copySpans(session, from, to, where)
  await noteTimes(session, to, hour)
  const inRun = (table: string) => (isInRun: IsInRun) => `SELECT * FROM ${rows(table)} AND ${isInRun('rowid')}`
  await copySorted(session, from, to, 'logs', 'service_no, time_ns', inRun('logs'))
  await copySorted(session, from, to, 'points', 'series_no, time_ns', inRun('points'))
}

async function copySpans(session: Session, from: string, to: string, where: KeptRows['where']): Promise<void> {
  try {
    await foldCorrections(session, from, to, where)
    await copySorted(session, from, to, 'spans', 'service_no, start_ns', (isInRun) =>
      foldedSpans(from, `${isInRun('rowid')} AND ${where('spans')}`, isInRun('row')),
    )
  } finally {
    await forgetFolded(session)
  }
}

/** Tables whose rows of the same key are added up. With the minutes of a key side by side they take the least space. */
const SUMS = {
  requests: {
    keys: 'service_no, operation_no, kind, role',
    counts: ['requests', 'errors', 'satisfied', 'tolerating'],
  },
  calls: { keys: 'service_no, kind, callee_no, called_no, dependency_no', counts: ['calls', 'errors', 'unanswered'] },
  origins: { keys: 'origin_no, kind, role', counts: ['spans', 'errors'] },
}

type IsInRun = (rowid: string) => string

/** Sorts a table run by run: each row is read and written once, however many there are. */
async function copySorted(
  session: Session,
  from: string,
  to: string,
  table: string,
  order: string,
  rowsOf: (isInRun: IsInRun) => string,
): Promise<void> {
  const [found] = await session.rows(`SELECT coalesce(max(rowid), -1) AS last FROM ${from}.${table}`)
  const last = Number(found?.['last'])
  for (let first = 0; first <= last; first += ROWS_PER_RUN) {
    const rows = rowsOf((rowid) => `${rowid} BETWEEN ${first} AND ${first + ROWS_PER_RUN - 1}`)
    await session.run(`INSERT INTO ${to}.${table} ${rows} ORDER BY ${order}`)
  }
}
