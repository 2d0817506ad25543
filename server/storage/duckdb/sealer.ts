import type { ApdexThresholds } from '../../domain/apdex.ts'
import { checkpointHour } from './checkpoint-hour.ts'
import { isDamage } from './data-file.ts'
import type { HourFile } from './hour-file.ts'
import type { HourFiles } from './hour-files.ts'
import { KINSHIP_TABLES } from './kinship.ts'
import { nsRangeOfHour } from './layout.ts'
import type { OpenFile, RowCounts } from './open-file.ts'
import { apdexParameters, type SealPlace } from './seal-place.ts'
import { sealLogs, sealNames, sealPoints, sealSpans } from './seal-tables.ts'
import type { Session } from './session.ts'
import { findSharedTraces } from './shared-traces.ts'

/** What a sealing leaves on its connection, as large as the file was. */
const TEMPORARY_TABLES = [
  ...KINSHIP_TABLES,
  'place_ids',
  'search_ids',
  'shared_ids',
  'found_ids',
  'foreign_spans',
  'foreign_links',
  'place_origins',
  'place_traces',
  'place_spans',
  'place_usage',
  'known_spans',
]
const NO_ROWS: RowCounts = { spans: 0, logs: 0, points: 0 }

/** An hour is being rewritten, which may take a minute: the file is to be sealed again later, and others meanwhile. */
export class HourBusy extends Error {
  override readonly name = 'HourBusy'
}

export interface Sealing {
  session: Session
  files: HourFiles
  open: OpenFile
  apdexOf: (gridId: string) => ApdexThresholds
  isStopping: () => boolean
}

/**
 * Moves the rows of an open file to the hour files they belong to. Each hour is one transaction, which also records the open
 * file's number: after a crash, hours that have the number are done and the others are sealed again. An hour that fails does
 * not keep the others from being sealed; the first failure is thrown at the end.
 */
export async function sealOpenFile(sealing: Sealing): Promise<void> {
  const { session, files, open } = sealing
  let failure: unknown
  for (const [gridId, hours] of open.rowsByGrid)
    for (const [hour, rows] of [...hours].sort(([a], [b]) => a - b)) {
      if (sealing.isStopping()) return
      await unlessBusy(files, gridId, hour, () => sealHour(sealing, gridId, hour, rows)).catch((error: unknown) => {
        failure ??= error
      })
    }
  await session.run(TEMPORARY_TABLES.map((table) => `DROP TABLE IF EXISTS temp.${table}`).join('; '))
  if (failure !== undefined) throw failure
}

async function unlessBusy(files: HourFiles, gridId: string, hour: number, task: () => Promise<void>): Promise<void> {
  if (files.isBeingRewritten(gridId, hour)) throw new HourBusy('the hour is being rewritten')
  await files.exclusively(gridId, hour, task)
}

async function sealHour(sealing: Sealing, gridId: string, hour: number, rows: RowCounts): Promise<void> {
  const { files } = sealing
  const file = await files.ensure(gridId, hour)
  const release = await files.use(file)
  // The file was set aside as damaged: a new one takes its place.
  if (!release) return await sealHour(sealing, gridId, hour, rows)
  try {
    await sealFile(sealing, file, rows)
  } catch (error) {
    if (isDamage(error as Error)) await files.examine(files.ofGrid(gridId))
    throw error
  } finally {
    release()
  }
}

async function sealFile(sealing: Sealing, file: HourFile, rows: RowCounts): Promise<void> {
  const { session, files, open, apdexOf } = sealing
  if (await isSealed(session, file, open)) return
  const { firstNs, lastNs } = nsRangeOfHour(file.hour)
  const parameters = { grid: file.gridId, first: String(firstNs), last: String(lastNs) }
  const place = { open, file, rows, parameters, apdex: apdexParameters(apdexOf(file.gridId)) }
  if (rows.spans > 0) {
    const touched = (await findSharedTraces(session, files, place)).filter((hour) => !hasRows(open, file.gridId, hour))
    // They come first: once this hour is sealed, nobody would look for them again.
    for (const hour of touched) await sealTouched(sealing, file.gridId, hour)
    if (touched.length > 0) await findSharedTraces(session, files, place)
  }
  await sealPlace(session, place)
}

/** An hour that gets no rows, but whose spans are seen in another light by rows of other hours. */
async function sealTouched(sealing: Sealing, gridId: string, hour: number): Promise<void> {
  const { session, files, open, apdexOf } = sealing
  await unlessBusy(files, gridId, hour, async () => {
    const file = files.find(gridId, hour)
    const release = file && (await files.use(file))
    if (!release) return
    try {
      if (await isSealed(session, file, open)) return
      const { firstNs, lastNs } = nsRangeOfHour(hour)
      const parameters = { grid: gridId, first: String(firstNs), last: String(lastNs) }
      const place = { open, file, rows: NO_ROWS, parameters, apdex: apdexParameters(apdexOf(gridId)) }
      await findSharedTraces(session, files, place)
      await sealPlace(session, place)
    } finally {
      release()
    }
  })
}

function hasRows(open: OpenFile, gridId: string, hour: number): boolean {
  return open.rowsByGrid.get(gridId)?.has(hour) ?? false
}

async function isSealed(session: Session, file: HourFile, open: OpenFile): Promise<boolean> {
  const found = await session.rows(`SELECT 1 FROM ${file.alias}.sealed WHERE open_no = ${open.number}`)
  return found.length > 0
}

async function sealPlace(session: Session, place: SealPlace): Promise<void> {
  const { file, open, rows } = place
  const isTouched = rows === NO_ROWS
  await session.run('BEGIN TRANSACTION')
  try {
    if (!isTouched) await sealNames(session, place)
    if (rows.spans > 0 || isTouched) await sealSpans(session, place)
    if (rows.logs > 0) await sealLogs(session, place)
    if (rows.points > 0) await sealPoints(session, place)
    await session.run(`INSERT INTO ${file.alias}.sealed VALUES (${open.number})`)
    await session.run('COMMIT')
  } catch (error) {
    await session.run('ROLLBACK').catch(() => undefined)
    throw error
  }
  file.mayBeScattered = true
  file.changedAtMs = Date.now()
  await checkpointHour(session, file)
}
