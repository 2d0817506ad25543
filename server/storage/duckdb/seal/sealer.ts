import type { Session } from '../engine/session.ts'
import { checkpointFile } from '../files/checkpoint-file.ts'
import { isDamage } from '../files/data-file.ts'
import type { HourFile } from '../files/hour-file.ts'
import type { HourFiles } from '../files/hour-files.ts'
import type { OpenFile, RowCounts } from '../files/open-file.ts'
import { nsRangeOfHour } from '../layout.ts'
import type { LiveHour } from '../live/live-hour.ts'
import type { LiveSpans } from '../live/live-spans.ts'
import type { Rolled } from '../rolled/rolled.ts'
import { numberNames } from './place-numbers.ts'
import { relateToSealed } from './relate-sealed.ts'
import type { SealPlace } from './seal-place.ts'
import { sealLogs, sealPoints } from './seal-records.ts'
import { sealSpans } from './seal-spans.ts'
import { sealSums } from './seal-sums.ts'

/** What a sealing leaves on its connection, as large as the file was. */
const TEMPORARY_TABLES = [
  'place_ids',
  'search_ids',
  'found_ids',
  'shared_ids',
  'unknown_ids',
  'place_names',
  'place_origins',
  'place_traces',
  'place_spans',
  'place_logs',
]

/** An hour is being rewritten, which may take a minute: the file is to be sealed again later, and others meanwhile. */
export class HourBusy extends Error {
  override readonly name = 'HourBusy'
}

export interface Sealing {
  session: Session
  files: HourFiles
  rolled: Rolled
  open: OpenFile
  live: LiveSpans
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
  for (const gridId of [...open.rowsByGrid.keys()]) {
    try {
      await relateToSealed(sealing, gridId)
    } catch (error) {
      failure ??= error
      continue
    }
    for (const [hour, rows] of [...(open.rowsByGrid.get(gridId) ?? [])].sort(([a], [b]) => a - b)) {
      if (sealing.isStopping()) return
      await unlessBusy(files, gridId, hour, () => sealHour(sealing, gridId, hour, rows)).catch((error: unknown) => {
        failure ??= error
      })
    }
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
  const { session, rolled, open, live } = sealing
  /** What the file has of spans, if anything. */
  const hour = live.file(open.number)?.find(file.gridId, file.hour)
  if (!(await isSealed(session, file, open))) {
    if (hour) await rolled.requests.takeOff(session, file.gridId, file.hour)
    // What the points of an hour without records were rolled up into cannot be made anew.
    if (rows.points > 0 && !file.isStripped) await rolled.points.takeOff(session, file.gridId, file.hour)
    const { firstNs, lastNs } = nsRangeOfHour(file.hour)
    const parameters = { grid: file.gridId, first: String(firstNs), last: String(lastNs) }
    await sealPlace(session, { open, file, rows, parameters }, live, hour)
  }
  if (hour) live.file(open.number)?.sealedHours.add(hour)
}

async function isSealed(session: Session, file: HourFile, open: OpenFile): Promise<boolean> {
  if (file.isEmpty) return false
  const found = await session.rows(`SELECT 1 FROM ${file.alias}.sealed WHERE open_no = ${open.number}`)
  return found.length > 0
}

async function sealPlace(
  session: Session,
  place: SealPlace,
  live: LiveSpans,
  hour: LiveHour | undefined,
): Promise<void> {
  const { file, open, rows } = place
  await session.run('BEGIN TRANSACTION')
  try {
    const numbers = await numberNames(session, place, live, hour)
    if (hour && rows.spans > 0) await sealSpans(session, place, live, hour, numbers)
    if (hour) await sealSums(session, file.alias, hour, numbers)
    if (rows.logs > 0) await sealLogs(session, place)
    if (rows.points > 0) await sealPoints(session, place)
    await session.run(`INSERT INTO ${file.alias}.sealed VALUES (${open.number})`)
    await session.run('COMMIT')
  } catch (error) {
    live.kept.drop(file)
    file.isEmpty = false
    await session.run('ROLLBACK').catch(() => undefined)
    throw error
  }
  live.kept.sealed(file, open.number, hour)
  file.mayBeScattered = true
  file.changedAtMs = Date.now()
  await checkpointFile(session, file)
}
