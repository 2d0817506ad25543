import type { Session } from './database.ts'
import type { HourFile, HourFiles } from './hour-files.ts'
import type { OpenFile } from './open-file.ts'
import { inPlace, type SealPlace } from './seal-place.ts'
import { sealLogs, sealPoints, sealSpans } from './seal-tables.ts'

/** How many traces of other hours are searched for ones that continue in the sealed hour; the nearest hours come first. */
const SHARED_SEARCH_TRACES_MAX = 4_000_000

/**
 * Moves the rows of an open file to the hour files they belong to. Each hour is one transaction, which also records the open
 * file's number: after a crash, hours that have the number are done and the others are sealed again.
 */
export async function sealOpenFile(session: Session, files: HourFiles, open: OpenFile): Promise<void> {
  for (const [gridId, hours] of open.rowsByGrid)
    for (const hour of [...hours.keys()].sort((a, b) => a - b))
      await files.exclusively(gridId, hour, () => sealHour(session, files, open, gridId, hour))
}

async function sealHour(
  session: Session,
  files: HourFiles,
  open: OpenFile,
  gridId: string,
  hour: number,
): Promise<void> {
  const file = await files.ensure(gridId, hour)
  const release = await files.use(file)
  // The file was set aside as damaged: a new one takes its place.
  if (!release) return await sealHour(session, files, open, gridId, hour)
  try {
    const done = await session.rows(`SELECT 1 FROM ${file.alias}.sealed WHERE open_no = $number::UBIGINT`, {
      number: String(open.number),
    })
    if (done.length > 0) return
    const parameters = { grid: gridId, from: nsOfHour(hour), to: nsOfHour(hour + 1) }
    await sealPlace(session, files, { open, file, parameters })
  } finally {
    release()
  }
}

async function sealPlace(session: Session, files: HourFiles, place: SealPlace): Promise<void> {
  await findSharedTraces(session, files, place)
  await session.run('BEGIN TRANSACTION')
  try {
    await sealNames(session, place)
    await sealSpans(session, place)
    await sealLogs(session, place)
    await sealPoints(session, place)
    await session.run(`INSERT INTO ${place.file.alias}.sealed VALUES ($number::UBIGINT)`, {
      number: String(place.open.number),
    })
    await session.run('COMMIT')
  } catch (error) {
    await session.run('ROLLBACK').catch(() => undefined)
    throw error
  }
  place.file.mayBeScattered = true
  await session.run(`CHECKPOINT ${place.file.alias}`)
}

function nsOfHour(hour: number): string {
  return String(BigInt(hour) * 3_600_000_000_000n)
}

/** Fills the temporary table `shared_ids` with the place's traces that have spans in other hours, and marks them there. */
async function findSharedTraces(session: Session, files: HourFiles, place: SealPlace): Promise<void> {
  const spans = `${place.open.alias}.spans`
  await session.run(
    `CREATE OR REPLACE TEMP TABLE place_ids AS SELECT DISTINCT trace_id FROM ${spans} WHERE ${inPlace('start_ns')}`,
    place.parameters,
  )
  await session.run(
    `CREATE OR REPLACE TEMP TABLE shared_ids AS
     SELECT DISTINCT trace_id FROM ${spans} WHERE grid = $grid::UUID
     AND (start_ns < $from::BIGINT OR start_ns >= $to::BIGINT) AND trace_id IN (SELECT trace_id FROM place_ids)`,
    place.parameters,
  )
  let searched = 0
  for (const other of nearestHours(files, place.file)) {
    if (searched > SHARED_SEARCH_TRACES_MAX && Math.abs(other.hour - place.file.hour) > 1) break
    searched += await markSharedIn(session, files, other)
  }
}

function nearestHours(files: HourFiles, file: HourFile): HourFile[] {
  const distance = (other: HourFile) => Math.abs(other.hour - file.hour)
  return files
    .hours(file.gridId)
    .filter((hour) => hour !== file.hour)
    .flatMap((hour) => files.find(file.gridId, hour) ?? [])
    .sort((a, b) => distance(a) - distance(b))
}

/** Marking comes before the rows that make it true, because too many marks are harmless and too few are not. */
async function markSharedIn(session: Session, files: HourFiles, other: HourFile): Promise<number> {
  const release = await files.use(other)
  if (!release) return 0
  try {
    const traces = `${other.alias}.traces`
    await session.run(
      `CREATE OR REPLACE TEMP TABLE found_ids AS
       SELECT trace_id FROM ${traces} WHERE trace_id IN (SELECT trace_id FROM place_ids)`,
    )
    await session.run('INSERT INTO shared_ids SELECT trace_id FROM found_ids')
    const unmarked = `NOT shared AND trace_id IN (SELECT trace_id FROM found_ids)`
    const [counts] = await session.rows(
      `SELECT count(*)::INTEGER AS traces, (SELECT count(*) FROM found_ids)::INTEGER AS found FROM ${traces}`,
    )
    if (Number(counts?.['found']) > 0) await session.run(`UPDATE ${traces} SET shared = true WHERE ${unmarked}`)
    return Number(counts?.['traces'])
  } finally {
    release()
  }
}

/** Numbers the names and origins that the hour file does not know yet. */
async function sealNames(session: Session, place: SealPlace): Promise<void> {
  const { alias } = place.file
  const open = place.open.alias
  await session.run(
    `CREATE OR REPLACE TEMP TABLE place_origins AS SELECT DISTINCT ON (origin) * FROM ${open}.origins WHERE origin IN (
       SELECT origin FROM ${open}.spans WHERE ${inPlace('start_ns')} UNION ALL
       SELECT origin FROM ${open}.logs WHERE ${inPlace('time_ns')} UNION ALL
       SELECT origin FROM ${open}.points WHERE ${inPlace('time_ns')})`,
    place.parameters,
  )
  await session.run(
    `INSERT INTO ${alias}.names
     SELECT row_number() OVER () + (SELECT coalesce(max(name_no), 0) FROM ${alias}.names), name FROM (
       SELECT service AS name FROM place_origins UNION
       SELECT operation FROM ${open}.spans WHERE ${inPlace('start_ns')})
     WHERE name NOT IN (SELECT name FROM ${alias}.names)`,
    place.parameters,
  )
  await session.run(
    `INSERT INTO ${alias}.origins
     SELECT row_number() OVER () + (SELECT coalesce(max(origin_no), 0) FROM ${alias}.origins), p.origin, n.name_no,
       p.resource, p.scope_name, p.scope_version
     FROM place_origins p JOIN ${alias}.names n ON n.name = p.service
     WHERE p.origin NOT IN (SELECT origin FROM ${alias}.origins)`,
  )
}
