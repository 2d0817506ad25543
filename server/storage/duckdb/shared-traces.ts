import type { HourFile } from './hour-file.ts'
import type { HourFiles } from './hour-files.ts'
import { inPlace, type SealPlace } from './seal-place.ts'
import type { Session } from './session.ts'

/** How many traces of other hours are searched for ones that continue in the sealed hour; the nearest hours come first. */
const SEARCHED_TRACES_MAX = 4_000_000
/** The hour before and the hour after are searched together, then ever more at a time. */
const FIRST_GROUP = 2
const GROUP_MAX = 32

/** Fills the temporary table `shared_ids` with the place's traces that have spans in other hours, and marks them there. */
export async function findSharedTraces(session: Session, files: HourFiles, place: SealPlace): Promise<void> {
  const spans = `${place.open.alias}.spans`
  await session.run(
    `CREATE OR REPLACE TEMP TABLE place_ids AS SELECT DISTINCT trace_id FROM ${spans} WHERE ${inPlace('start_ns')}`,
    place.parameters,
  )
  await session.run(
    `CREATE OR REPLACE TEMP TABLE shared_ids AS
     SELECT DISTINCT trace_id FROM ${spans} WHERE grid = $grid::UUID
     AND start_ns NOT BETWEEN $first::BIGINT AND $last::BIGINT AND trace_id IN (SELECT trace_id FROM place_ids)`,
    place.parameters,
  )
  const others = nearestHours(files, place.file)
  let searched = 0
  for (let at = 0, size = FIRST_GROUP; at < others.length && searched <= SEARCHED_TRACES_MAX; at += size) {
    if (at > 0) size = Math.min(size * 2, GROUP_MAX)
    searched += await searchGroup(session, files, others.slice(at, at + size))
  }
}

function nearestHours(files: HourFiles, file: HourFile): HourFile[] {
  const distance = (other: HourFile) => Math.abs(other.hour - file.hour)
  return files
    .ofGrid(file.gridId)
    .filter((other) => other.hour !== file.hour)
    .sort((a, b) => distance(a) - distance(b))
}

/** Returns how many traces there were to search. */
async function searchGroup(session: Session, files: HourFiles, group: HourFile[]): Promise<number> {
  const releases: (() => void)[] = []
  const used: HourFile[] = []
  try {
    for (const file of group) {
      const release = await files.use(file)
      if (!release) continue
      releases.push(release)
      used.push(file)
    }
    return used.length > 0 ? await markFound(session, files, used) : 0
  } finally {
    for (const release of releases) release()
  }
}

async function markFound(session: Session, files: HourFiles, group: HourFile[]): Promise<number> {
  const found = group.map(
    ({ alias, hour }) =>
      `SELECT ${hour} AS hour, trace_id FROM ${alias}.traces WHERE trace_id IN (SELECT trace_id FROM place_ids)`,
  )
  await session.run(`CREATE OR REPLACE TEMP TABLE found_ids AS ${found.join(' UNION ALL ')}`)
  const counts = group.map(
    ({ alias, hour }) =>
      `SELECT ${hour} AS hour, (SELECT count(*) FROM ${alias}.traces)::INTEGER AS traces,
       (SELECT count(*) FROM found_ids WHERE hour = ${hour})::INTEGER AS found`,
  )
  const rows = await session.rows(counts.join(' UNION ALL '))
  const hours = rows.filter((row) => Number(row['found']) > 0).map((row) => Number(row['hour']))
  if (hours.length > 0) await session.run('INSERT INTO shared_ids SELECT trace_id FROM found_ids')
  for (const { gridId, hour } of group) if (hours.includes(hour)) await markHour(session, files, gridId, hour)
  return rows.reduce((sum, row) => sum + Number(row['traces']), 0)
}

/** Marking comes before the rows that make it true, because too many marks are harmless and too few are not. */
async function markHour(session: Session, files: HourFiles, gridId: string, hour: number): Promise<void> {
  await files.marking(gridId, hour, async () => {
    // The hour may have been rewritten since its traces were found.
    const file = files.find(gridId, hour)
    const release = file && (await files.use(file))
    if (!release) return
    try {
      await session.run(
        `UPDATE ${file.alias}.traces SET shared = true
         WHERE NOT shared AND trace_id IN (SELECT trace_id FROM found_ids WHERE hour = ${hour})`,
      )
      file.diskBytes = undefined
    } finally {
      release()
    }
  })
}
