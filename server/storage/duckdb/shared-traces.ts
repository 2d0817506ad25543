import type { HourFile } from './hour-file.ts'
import type { HourFiles } from './hour-files.ts'
import { linksOf } from './kinship.ts'
import { inPlace, type SealPlace } from './seal-place.ts'
import type { Session } from './session.ts'

/** How many traces of other hours are searched for ones that continue in the sealed hour; the nearest hours come first. */
const SEARCHED_TRACES_MAX = 4_000_000
/** The hour before and the hour after are searched together, then ever more at a time. */
const FIRST_GROUP = 2
const GROUP_MAX = 32

/**
 * Fills temporary tables with what the place has in common with other hours: `place_ids` has the traces of the Grid in the open
 * file, and those that its messages came from, `search_ids` those among them that have to do with this hour, `shared_ids` those that other hours hold too, which are marked there, and `foreign_spans` and `foreign_links` what
 * other hours know of them. Resolves with these hours.
 */
export async function findSharedTraces(session: Session, files: HourFiles, place: SealPlace): Promise<number[]> {
  const spans = `${place.open.alias}.spans`
  await session.run(
    `CREATE OR REPLACE TEMP TABLE place_ids AS SELECT DISTINCT trace_id FROM (
       SELECT trace_id FROM ${spans} WHERE grid = $grid::UUID UNION ALL
       SELECT trace_id FROM (${linksOf(`(SELECT * FROM ${spans} WHERE grid = $grid::UUID)`, "''", '0')})
       WHERE trace_id IS NOT NULL)`,
    place.parameters,
  )
  const inPlaceRows = `(SELECT * FROM ${spans} WHERE ${inPlace('start_ns')})`
  await session.run(
    `CREATE OR REPLACE TEMP TABLE search_ids AS SELECT DISTINCT trace_id FROM (
       SELECT trace_id FROM ${inPlaceRows} UNION ALL
       SELECT trace_id FROM (${linksOf(inPlaceRows, "''", '0')}) WHERE trace_id IS NOT NULL UNION ALL
       SELECT trace_id FROM ${place.file.alias}.traces WHERE trace_id IN (SELECT trace_id FROM place_ids))`,
    place.parameters,
  )
  await session.run(
    `CREATE OR REPLACE TEMP TABLE foreign_spans (trace_id UUID, span_id UBIGINT, parent_id UBIGINT, service VARCHAR, kind UTINYINT);
     CREATE OR REPLACE TEMP TABLE foreign_links (trace_id UUID, span_id UBIGINT, service VARCHAR)`,
  )
  await session.run(
    `CREATE OR REPLACE TEMP TABLE shared_ids AS
     SELECT DISTINCT trace_id FROM ${spans} WHERE grid = $grid::UUID
     AND start_ns NOT BETWEEN $first::BIGINT AND $last::BIGINT AND trace_id IN (SELECT trace_id FROM search_ids)`,
    place.parameters,
  )
  const others = nearestHours(files, place.file)
  const found: number[] = []
  let searched = 0
  for (let at = 0, size = FIRST_GROUP; at < others.length && searched <= SEARCHED_TRACES_MAX; at += size) {
    if (at > 0) size = Math.min(size * 2, GROUP_MAX)
    const group = await searchGroup(session, files, others.slice(at, at + size))
    searched += group.searched
    found.push(...group.hours)
  }
  return found
}

function nearestHours(files: HourFiles, file: HourFile): HourFile[] {
  const distance = (other: HourFile) => Math.abs(other.hour - file.hour)
  return files
    .ofGrid(file.gridId)
    .filter((other) => other.hour !== file.hour)
    .sort((a, b) => distance(a) - distance(b))
}

interface Found {
  /** How many traces there were to search. */
  searched: number
  hours: number[]
}

async function searchGroup(session: Session, files: HourFiles, group: HourFile[]): Promise<Found> {
  const releases: (() => void)[] = []
  const used: HourFile[] = []
  try {
    for (const file of group) {
      const release = await files.use(file)
      if (!release) continue
      releases.push(release)
      used.push(file)
    }
    return used.length > 0 ? await markFound(session, files, used) : { searched: 0, hours: [] }
  } finally {
    for (const release of releases) release()
  }
}

async function markFound(session: Session, files: HourFiles, group: HourFile[]): Promise<Found> {
  const found = group.map(
    ({ alias, hour }) =>
      `SELECT ${hour} AS hour, trace_id FROM ${alias}.traces WHERE trace_id IN (SELECT trace_id FROM search_ids)`,
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
  for (const file of group) {
    if (hours.includes(file.hour)) {
      await loadForeign(session, file)
      await markHour(session, files, file.gridId, file.hour)
    }
    await loadLinks(session, file)
  }
  return { searched: rows.reduce((sum, row) => sum + Number(row['traces']), 0), hours }
}

async function loadForeign(session: Session, { alias, hour }: HourFile): Promise<void> {
  await session.run(
    `INSERT INTO foreign_spans
     SELECT t.trace_id, s.span_id, s.parent_id, n.name, s.kind FROM ${alias}.spans s
     JOIN (SELECT trace_no, trace_id FROM ${alias}.traces
       WHERE trace_id IN (SELECT trace_id FROM found_ids WHERE hour = ${hour})) t ON t.trace_no = s.trace_no
     JOIN ${alias}.names n ON n.name_no = s.service_no`,
  )
}

/** Consumers of another hour link to producers of this one without sharing a trace. */
async function loadLinks(session: Session, { alias }: HourFile): Promise<void> {
  await session.run(
    `INSERT INTO foreign_links SELECT l.trace_id, l.span_id, n.name FROM ${alias}.message_links l
     JOIN ${alias}.names n ON n.name_no = l.service_no WHERE l.trace_id IN (SELECT trace_id FROM place_ids)`,
  )
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
