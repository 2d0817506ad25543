import type { Session } from '../engine/session.ts'
import type { HourFile } from '../files/hour-file.ts'
import type { HourFiles } from '../files/hour-files.ts'
import type { OpenFile } from '../files/open-file.ts'
import type { LiveSpans } from '../live/live-spans.ts'
import { loadLinks, loadSealedSpans } from '../write/load-live.ts'
import { linksOf } from './seal-spans.ts'

/** How many traces are searched for ones that go on in the open file; the nearest hours come first. */
const SEARCHED_TRACES_MAX = 4_000_000
/** The hours of the file and those before and after are searched together, then ever more at a time. */
const FIRST_GROUP = 3
const GROUP_MAX = 32

/** What a sealing has to do with what was sealed before. */
export interface Relating {
  session: Session
  files: HourFiles
  live: LiveSpans
  open: OpenFile
}

/**
 * Finds the traces of a Grid in an open file that are known in hour files. Those in several hours are marked as shared there,
 * and left in the temporary table `shared_ids` for the sealing. Of those whose spans may no longer be in memory, the spans are
 * read, so that the figures of the open file are whole.
 */
export async function relateToSealed(relating: Relating, gridId: string): Promise<void> {
  const { session, files, open } = relating
  const hours = [...(open.rowsByGrid.get(gridId) ?? [])].flatMap(([hour, { spans }]) => (spans > 0 ? [hour] : []))
  await session.run('CREATE OR REPLACE TEMP TABLE shared_ids (trace_id UUID)')
  if (hours.length === 0) return
  const nearest = nearestHours(files, gridId, hours)
  const isFirstHour = nearest.length === 0 && hours.length === 1
  if (isFirstHour) return
  await gatherIds(session, gridId, open)
  let searched = 0
  for (let at = 0, size = FIRST_GROUP; at < nearest.length && searched <= SEARCHED_TRACES_MAX; at += size) {
    if (at > 0) size = Math.min(size * 2, GROUP_MAX)
    searched += await files.reading(nearest.slice(at, at + size), (group) => search(session, group))
  }
  await markShared(session, files, gridId)
  await loadUnknown(relating, gridId, nearest)
}

async function gatherIds(session: Session, gridId: string, open: OpenFile): Promise<void> {
  const spans = `${open.alias}.spans`
  const hour = '((start_ns // 3600000000000) - (start_ns < 0 AND start_ns % 3600000000000 <> 0)::INTEGER)::INTEGER'
  await session.run(
    `CREATE OR REPLACE TEMP TABLE place_ids AS SELECT DISTINCT trace_id, ${hour} AS hour FROM ${spans} WHERE grid = $grid::UUID`,
    { grid: gridId },
  )
  await session.run(
    `CREATE OR REPLACE TEMP TABLE search_ids AS SELECT DISTINCT trace_id FROM (
       SELECT trace_id FROM place_ids UNION ALL
       SELECT trace_id FROM (${linksOf(`(SELECT kind, links FROM ${spans} WHERE grid = $grid::UUID)`, "''")})
       WHERE trace_id IS NOT NULL)`,
    { grid: gridId },
  )
  await session.run('CREATE OR REPLACE TEMP TABLE found_ids (hour INTEGER, trace_id UUID, first_open UBIGINT)')
}

function nearestHours(files: HourFiles, gridId: string, hours: number[]): HourFile[] {
  const distance = (file: HourFile) => Math.min(...hours.map((hour) => Math.abs(hour - file.hour)))
  return files
    .ofGrid(gridId)
    .filter((file) => !file.isStripped)
    .sort((a, b) => distance(a) - distance(b))
}

/** Resolves with how many traces there were to search. */
async function search(session: Session, group: HourFile[]): Promise<number> {
  if (group.length === 0) return 0
  const found = group.map(
    ({ alias, hour }) =>
      `SELECT ${hour}, trace_id, first_open FROM ${alias}.traces WHERE trace_id IN (SELECT trace_id FROM search_ids)`,
  )
  await session.run(`INSERT INTO found_ids ${found.join(' UNION ALL ')}`)
  const counts = group.map(({ alias }) => `(SELECT count(*) FROM ${alias}.traces)`)
  const [row] = await session.rows(`SELECT (${counts.join(' + ')})::DOUBLE AS traces`)
  return Number(row?.['traces'])
}

/** Marking comes before the rows that make it true, because too many marks are harmless and too few are not. */
async function markShared(session: Session, files: HourFiles, gridId: string): Promise<void> {
  await session.run(
    `INSERT INTO shared_ids SELECT trace_id FROM (
       SELECT trace_id, hour FROM place_ids UNION ALL
       SELECT trace_id, hour FROM found_ids WHERE trace_id IN (SELECT trace_id FROM place_ids))
     GROUP BY trace_id HAVING count(DISTINCT hour) > 1`,
  )
  const hours = await session.rows(
    'SELECT DISTINCT hour FROM found_ids WHERE trace_id IN (SELECT trace_id FROM shared_ids)',
  )
  for (const row of hours) await markHour(session, files, gridId, row['hour'] as number)
}

async function markHour(session: Session, files: HourFiles, gridId: string, hour: number): Promise<void> {
  await files.marking(gridId, hour, async () => {
    // The hour may have been rewritten since its traces were found.
    const file = files.find(gridId, hour)
    const release = file && (await files.use(file))
    if (!release) return
    try {
      await session.run(
        `UPDATE ${file.alias}.traces SET shared = true WHERE NOT shared AND trace_id IN (SELECT trace_id FROM shared_ids)`,
      )
      file.diskBytes = undefined
    } finally {
      release()
    }
  })
}

/** Reads the sealed spans of traces that may have left the memory, and the links to spans of the file. */
async function loadUnknown({ session, files, live, open }: Relating, gridId: string, near: HourFile[]): Promise<void> {
  const wholeFrom = live.file(open.number)?.wholeFrom ?? 0
  await session.run(
    `CREATE OR REPLACE TEMP TABLE unknown_ids AS SELECT DISTINCT trace_id FROM found_ids WHERE first_open < ${wholeFrom}`,
  )
  const hours = await session.rows(
    'SELECT DISTINCT hour FROM found_ids WHERE trace_id IN (SELECT trace_id FROM unknown_ids)',
  )
  const known = near.filter(({ hour }) => hours.some((row) => row['hour'] === hour))
  await files.reading(known, (group) =>
    loadSealedSpans(session, live, gridId, group, 'trace_id IN (SELECT trace_id FROM unknown_ids)'),
  )
  await files.reading(near.slice(0, GROUP_MAX), (group) =>
    loadLinks(
      session,
      live,
      gridId,
      group,
      'SELECT trace_id FROM place_ids UNION ALL SELECT trace_id FROM unknown_ids',
    ),
  )
}
