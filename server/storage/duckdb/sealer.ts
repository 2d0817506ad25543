import { checkpointHour } from './checkpoint-hour.ts'
import { isDamage } from './data-file.ts'
import type { HourFile } from './hour-file.ts'
import type { HourFiles } from './hour-files.ts'
import { nsRangeOfHour } from './layout.ts'
import type { OpenFile, RowCounts } from './open-file.ts'
import type { SealPlace } from './seal-place.ts'
import { sealLogs, sealNames, sealPoints, sealSpans } from './seal-tables.ts'
import type { Session } from './session.ts'
import { findSharedTraces } from './shared-traces.ts'

/** What a sealing leaves on its connection, as large as the file was. */
const TEMPORARY_TABLES = ['place_ids', 'shared_ids', 'found_ids', 'place_origins', 'place_traces', 'known_spans']

/**
 * Moves the rows of an open file to the hour files they belong to. Each hour is one transaction, which also records the open
 * file's number: after a crash, hours that have the number are done and the others are sealed again. An hour that fails does
 * not keep the others from being sealed; the first failure is thrown at the end.
 */
export async function sealOpenFile(
  session: Session,
  files: HourFiles,
  open: OpenFile,
  isStopping: () => boolean,
): Promise<void> {
  let failure: unknown
  for (const [gridId, hours] of open.rowsByGrid)
    for (const [hour, rows] of [...hours].sort(([a], [b]) => a - b)) {
      if (isStopping()) return
      await files
        .exclusively(gridId, hour, () => sealHour(session, files, open, gridId, hour, rows))
        .catch((error: unknown) => {
          failure ??= error
        })
    }
  await session.run(TEMPORARY_TABLES.map((table) => `DROP TABLE IF EXISTS temp.${table}`).join('; '))
  if (failure !== undefined) throw failure
}

async function sealHour(
  session: Session,
  files: HourFiles,
  open: OpenFile,
  gridId: string,
  hour: number,
  rows: RowCounts,
): Promise<void> {
  const file = await files.ensure(gridId, hour)
  const release = await files.use(file)
  // The file was set aside as damaged: a new one takes its place.
  if (!release) return await sealHour(session, files, open, gridId, hour, rows)
  try {
    if (await isSealed(session, file, open)) return
    const { firstNs, lastNs } = nsRangeOfHour(hour)
    const parameters = { grid: gridId, first: String(firstNs), last: String(lastNs) }
    await sealPlace(session, files, { open, file, rows, parameters })
  } catch (error) {
    if (isDamage(error as Error)) await files.examine(files.ofGrid(gridId))
    throw error
  } finally {
    release()
  }
}

async function isSealed(session: Session, file: HourFile, open: OpenFile): Promise<boolean> {
  const found = await session.rows(`SELECT 1 FROM ${file.alias}.sealed WHERE open_no = ${open.number}`)
  return found.length > 0
}

async function sealPlace(session: Session, files: HourFiles, place: SealPlace): Promise<void> {
  const { file, open, rows } = place
  if (rows.spans > 0) await findSharedTraces(session, files, place)
  await session.run('BEGIN TRANSACTION')
  try {
    await sealNames(session, place)
    if (rows.spans > 0) await sealSpans(session, place)
    if (rows.logs > 0) await sealLogs(session, place)
    if (rows.points > 0) await sealPoints(session, place)
    await session.run(`INSERT INTO ${file.alias}.sealed VALUES (${open.number})`)
    await session.run('COMMIT')
  } catch (error) {
    await session.run('ROLLBACK').catch(() => undefined)
    throw error
  }
  file.mayBeScattered = true
  await checkpointHour(session, file)
}
