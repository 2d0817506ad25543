import type { Session } from '../engine/session.ts'
import { isDamage } from '../files/data-file.ts'
import type { HourFile } from '../files/hour-file.ts'
import type { HourFiles } from '../files/hour-files.ts'
import type { OpenFile } from '../files/open-file.ts'
import { keyOf, linkKeys } from '../live/live-rows.ts'
import type { LinkKeys, LiveSpans } from '../live/live-spans.ts'
import { REQUEST } from '../schema.ts'
import { hexOfNumber } from '../traces/span-rows-read.ts'
import { readSpans, SPAN_COLUMNS } from './read-spans.ts'

/** So many spans that were sealed last are in memory from the start, because what comes next may be their relatives. */
const FIRST_SPANS_MAX = 32_768
/** Hours around those, where their traces may go on. */
const NEAR_HOURS = 6
/** Newer links than these many wait for what they point at. */
const LINKS_MAX = 65_536

/** Brings a file that an earlier process left to memory, as if its rows came again, in the same order. */
export async function replayOpenFile(
  session: Session,
  live: LiveSpans,
  hourFiles: HourFiles,
  open: OpenFile,
): Promise<void> {
  const hour = '((start_ns // 3600000000000) - (start_ns < 0 AND start_ns % 3600000000000 <> 0)::INTEGER)::INTEGER'
  await session.run(
    `CREATE OR REPLACE TEMP TABLE live_source (${SPAN_COLUMNS});
     INSERT INTO live_source SELECT grid, trace_id, span_id, parent_id, start_ns, duration_ns, kind, status,
       CASE WHEN receives = 0 THEN ${REQUEST} ELSE 0 END, ${hour}, origin, operation, called, dependency, rowid
     FROM ${open.alias}.spans`,
  )
  const links = await readLinks(session, live, open)
  await readSpans(session, live, [`SELECT * FROM ${open.alias}.origins`], (place, loaded) => {
    live.added(place, !loaded.isRequest, loaded.hasParent, links.get(loaded.row))
    live.confirm(1, open)
  })
  const file = live.file(open.number)
  for (const [gridId, hours] of open.rowsByGrid)
    for (const hour of hours.keys()) {
      const known = file?.find(gridId, hour)
      if (known && (await isSealed(session, hourFiles, gridId, open, hour))) file?.sealedHours.add(known)
    }
}

async function isSealed(
  session: Session,
  hourFiles: HourFiles,
  gridId: string,
  open: OpenFile,
  hour: number,
): Promise<boolean> {
  const hourFile = hourFiles.find(gridId, hour)
  const release = hourFile && (await hourFiles.use(hourFile))
  if (!release) return false
  try {
    const found = await session.rows(`SELECT 1 FROM ${hourFile.alias}.sealed WHERE open_no = ${open.number}`)
    return found.length > 0
  } finally {
    release()
  }
}

async function readLinks(session: Session, live: LiveSpans, open: OpenFile): Promise<Map<number, LinkKeys>> {
  const rows = await session.rows(
    `SELECT grid::VARCHAR AS grid, rowid AS row, links FROM ${open.alias}.spans WHERE kind = 5 AND links <> ''`,
  )
  return new Map(
    rows.map((row) => [Number(row['row']), linkKeys(live.grid(row['grid'] as string), row['links'] as string)]),
  )
}

/** Reads sealed spans of whole traces that are not in memory. */
export async function loadSealedSpans(
  session: Session,
  live: LiveSpans,
  gridId: string,
  files: HourFile[],
  traces: string,
): Promise<void> {
  if (files.length === 0) return
  await session.run(`CREATE OR REPLACE TEMP TABLE live_source (${SPAN_COLUMNS})`)
  for (const { alias, hour } of files)
    await session.run(
      `INSERT INTO live_source
       SELECT $grid::UUID, t.trace_id, s.span_id, s.parent_id, s.start_ns, s.duration_ns, s.kind, s.status, s.role, ${hour},
         g.origin, o.name, coalesce(c.name, ''), coalesce(d.name, ''), s.rowid
       FROM ${alias}.spans s JOIN (SELECT trace_no, trace_id FROM ${alias}.traces WHERE ${traces}) t
         ON t.trace_no = s.trace_no
       JOIN ${alias}.origins g ON g.origin_no = s.origin_no JOIN ${alias}.names o ON o.name_no = s.operation_no
       LEFT JOIN ${alias}.names c ON c.name_no = s.called_no LEFT JOIN ${alias}.names d ON d.name_no = s.dependency_no`,
      { grid: gridId },
    )
  const origins = files.map(
    ({
      alias,
    }) => `SELECT g.origin, n.name AS service, g.resource, g.scope_name, g.scope_version FROM ${alias}.origins g
      JOIN ${alias}.names n ON n.name_no = g.service_no`,
  )
  try {
    await readSpans(session, live, origins, (place, { hasParent, isRequest }) =>
      live.sealed.load(place, isRequest, hasParent),
    )
  } catch (error) {
    live.sealed.abandon()
    throw error
  }
  live.sealed.finish()
}

/** The links of sealed consumers to spans of these traces; undefined for the newest links to any. */
export async function loadLinks(
  session: Session,
  live: LiveSpans,
  gridId: string,
  files: HourFile[],
  traces: string | undefined,
): Promise<void> {
  if (files.length === 0) return
  const asked = traces === undefined ? `ORDER BY rowid DESC LIMIT ${LINKS_MAX}` : `WHERE trace_id IN (${traces})`
  const parts = files.map(
    ({
      alias,
    }) => `SELECT l.trace_id, l.span_id, n.name AS service FROM (SELECT * FROM ${alias}.message_links ${asked}) l
      JOIN ${alias}.names n ON n.name_no = l.service_no`,
  )
  const rows = await session.rows(
    `SELECT trace_id::VARCHAR AS trace_id, span_id, service FROM (${parts.join(' UNION ALL ')})`,
  )
  const grid = live.grid(gridId)
  for (const row of rows) {
    const trace = Buffer.from((row['trace_id'] as string).replaceAll('-', ''), 'hex')
    const { high, low } = keyOf(grid, trace, Buffer.from(hexOfNumber(row['span_id']), 'hex'))
    live.sealed.loadLink(high, low, live.texts.ofText(row['service'] as string))
  }
}

/** Brings the traces that were sealed last to memory, and the links of their time. */
export async function loadLastSpans(
  session: Session,
  live: LiveSpans,
  newest: HourFile[],
  hourFiles: HourFiles,
): Promise<void> {
  let left = FIRST_SPANS_MAX
  for (const gridId of new Set(newest.map((file) => file.gridId))) {
    if (left <= 0) return
    const files = newest.filter((file) => file.gridId === gridId && !file.isStripped)
    try {
      left -= await loadLastOf(session, live, hourFiles, gridId, files, left)
    } catch (error) {
      // The file has been set aside by now; what is left is read when it is needed.
      if (!isDamage(error as Error)) throw error
    }
  }
}

/** Resolves with how many spans were looked at. */
async function loadLastOf(
  session: Session,
  live: LiveSpans,
  hourFiles: HourFiles,
  gridId: string,
  newest: HourFile[],
  limit: number,
): Promise<number> {
  await session.run('CREATE OR REPLACE TEMP TABLE last_ids (trace_id UUID, shared BOOLEAN)')
  const used: HourFile[] = []
  let spans = 0
  for (const file of newest) {
    if (spans >= limit) break
    spans += await hourFiles.reading([file], async ([each]) =>
      each ? await gatherLast(session, each, limit - spans) : 0,
    )
    used.push(file)
  }
  const [found] = await session.rows('SELECT count(*) FILTER (shared)::INTEGER AS shared FROM last_ids')
  // What a trace is in other hours belongs to it.
  const near = Number(found?.['shared']) > 0 ? nearestHours(hourFiles, gridId, used) : used
  const wanted = 'trace_id IN (SELECT trace_id FROM last_ids)'
  await hourFiles.reading(near, (files) => loadSealedSpans(session, live, gridId, files, wanted))
  await hourFiles.reading(used, (files) => loadLinks(session, live, gridId, files, undefined))
  await session.run('DROP TABLE last_ids')
  return spans
}

/** The traces that began last in an hour. Resolves with how many spans the hour has. */
async function gatherLast(session: Session, { alias }: HourFile, limit: number): Promise<number> {
  const [found] = await session.rows(
    `SELECT count(*)::INTEGER AS spans,
       (SELECT start_ns FROM ${alias}.spans ORDER BY start_ns DESC LIMIT 1 OFFSET ${limit}) AS after_ns FROM ${alias}.spans`,
  )
  const isLast = found?.['after_ns'] === null ? 'true' : `first_ns > ${String(found?.['after_ns'])}`
  await session.run(`INSERT INTO last_ids SELECT trace_id, shared FROM ${alias}.traces WHERE ${isLast}`)
  return Number(found?.['spans'])
}

/** As many as sealing would search, or fewer. */
function nearestHours(hourFiles: HourFiles, gridId: string, used: HourFile[]): HourFile[] {
  const distance = (file: HourFile) => Math.min(...used.map(({ hour }) => Math.abs(hour - file.hour)))
  return hourFiles
    .ofGrid(gridId)
    .filter((file) => !file.isStripped)
    .sort((a, b) => distance(a) - distance(b))
    .slice(0, used.length + NEAR_HOURS)
}
