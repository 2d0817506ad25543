import { UBIGINT, UINTEGER, VARCHAR } from '@duckdb/node-api'
import duckdb, { type DataChunk } from '@duckdb/node-bindings'
import { appendRows, putWord } from './append-rows.ts'
import { ChunkBuilder } from './chunk-builder.ts'
import { isDamage } from './data-file.ts'
import type { HourFile } from './hour-file.ts'
import type { HourFiles } from './hour-files.ts'
import { fillKeys, fillTimes, keyOf, linkKeys } from './live/live-rows.ts'
import type { LinkKeys, LiveGrid, LiveSpans, Place } from './live/live-spans.ts'
import type { OpenFile } from './open-file.ts'
import { REQUEST } from './schema.ts'
import type { Row, Session } from './session.ts'
import { hexOfNumber } from './span-rows-read.ts'
import { wireNumber, wireUuid } from './wire-cells.ts'

/** So many spans that were sealed last are in memory from the start, because what comes next may be their relatives. */
const FIRST_SPANS_MAX = 65_536

/** Spans as `read` takes them; texts have their own columns, and `row` is their order. */
const COLUMNS = `grid UUID, trace_id UUID, span_id UBIGINT, parent_id UBIGINT, start_ns BIGINT, duration_ns BIGINT, kind UTINYINT,
  status UTINYINT, role UTINYINT, hour INTEGER, origin UBIGINT, operation VARCHAR, called VARCHAR, dependency VARCHAR, row UBIGINT`

/** Brings a file that an earlier process left to memory, as if its rows came again, in the same order. */
export async function replayOpenFile(
  session: Session,
  live: LiveSpans,
  hourFiles: HourFiles,
  open: OpenFile,
): Promise<void> {
  const hour = '((start_ns // 3600000000000) - (start_ns < 0 AND start_ns % 3600000000000 <> 0)::INTEGER)::INTEGER'
  await session.run(
    `CREATE OR REPLACE TEMP TABLE live_source (${COLUMNS});
     INSERT INTO live_source SELECT grid, trace_id, span_id, parent_id, start_ns, duration_ns, kind, status,
       CASE WHEN receives = 0 THEN ${REQUEST} ELSE 0 END, ${hour}, origin, operation, called, dependency, rowid
     FROM ${open.alias}.spans`,
  )
  const links = await readLinks(session, live, open)
  await read(session, live, [`SELECT * FROM ${open.alias}.origins`], (place, loaded) => {
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
  await session.run(`CREATE OR REPLACE TEMP TABLE live_source (${COLUMNS})`)
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
  await read(session, live, origins, (place, { hasParent, isRequest }) => {
    const { segment, row } = place
    if (live.hasSealed(segment.keyHigh[row] as number, segment.keyLow[row] as number)) return
    live.load(place, isRequest, hasParent)
  })
}

export async function loadLinks(
  session: Session,
  live: LiveSpans,
  gridId: string,
  files: HourFile[],
  traces: string,
): Promise<void> {
  if (files.length === 0) return
  const parts = files.map(
    ({ alias }) => `SELECT l.trace_id, l.span_id, n.name AS service FROM ${alias}.message_links l
      JOIN ${alias}.names n ON n.name_no = l.service_no WHERE l.trace_id IN (${traces})`,
  )
  const rows = await session.rows(
    `SELECT trace_id::VARCHAR AS trace_id, span_id, service FROM (${parts.join(' UNION ALL ')})`,
  )
  const grid = live.grid(gridId)
  for (const row of rows) {
    const trace = Buffer.from((row['trace_id'] as string).replaceAll('-', ''), 'hex')
    const { high, low } = keyOf(grid, trace, Buffer.from(hexOfNumber(row['span_id']), 'hex'))
    live.loadLink(high, low, live.texts.ofText(row['service'] as string))
  }
}

/** Brings the traces that were sealed last to memory, those that lie in one hour. */
export async function loadLastSpans(
  session: Session,
  live: LiveSpans,
  files: HourFile[],
  hourFiles: HourFiles,
): Promise<void> {
  let left = FIRST_SPANS_MAX
  for (const file of files) {
    if (left <= 0) return
    const release = file.isStripped ? undefined : await hourFiles.use(file)
    if (!release) continue
    try {
      left -= await loadLastOf(session, live, file, left)
    } catch (error) {
      if (!isDamage(error as Error)) throw error
      await hourFiles.examine([file])
    } finally {
      release()
    }
  }
}

/** Resolves with how many spans the hour has. */
async function loadLastOf(session: Session, live: LiveSpans, file: HourFile, limit: number): Promise<number> {
  const { alias, gridId } = file
  const [found] = await session.rows(
    `SELECT count(*)::INTEGER AS spans,
       (SELECT start_ns FROM ${alias}.spans ORDER BY start_ns DESC LIMIT 1 OFFSET ${limit}) AS after_ns FROM ${alias}.spans`,
  )
  const isLast = found?.['after_ns'] === null ? 'true' : `first_ns > ${String(found?.['after_ns'])}`
  await loadSealedSpans(session, live, gridId, [file], `NOT shared AND ${isLast}`)
  return Number(found?.['spans'])
}

interface ReadSpan {
  hasParent: boolean
  /** Whether it would be a request, by itself. */
  isRequest: boolean
  row: number
}

/** Reads the spans in `live_source`, in order. The database's own memory is read: a value at a time would take seconds. */
async function read(
  session: Session,
  live: LiveSpans,
  origins: string[],
  each: (place: Place, span: ReadSpan) => void,
): Promise<void> {
  await numberTexts(session, live)
  const services = await numberOrigins(session, live, origins)
  const result = await session.connection.stream(
    `SELECT grid, trace_id, span_id, parent_id, start_ns, duration_ns, kind, status, role, hour, g.id, o.id, c.id, d.id, row
     FROM live_source s JOIN live_origins g ON g.origin = s.origin JOIN live_texts o ON o.name = s.operation
     JOIN live_texts c ON c.name = s.called JOIN live_texts d ON d.name = s.dependency ORDER BY row`,
  )
  const grids = new Map<string, LiveGrid>()
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    const cells = columnsOf(chunk.chunk, chunk.rowCount)
    for (let row = 0; row < chunk.rowCount; row++) {
      const place = live.reserve()
      const span = fill(live, place, cells, row, grids)
      place.segment.service[place.row] = services.get(place.segment.origin[place.row] as number) as number
      each(place, span)
    }
  }
  await session.run('DROP TABLE live_source; DROP TABLE live_texts; DROP TABLE live_origins')
}

async function numberTexts(session: Session, live: LiveSpans): Promise<void> {
  const texts = await session.rows(
    `SELECT DISTINCT name FROM (SELECT operation AS name FROM live_source UNION ALL SELECT called FROM live_source
       UNION ALL SELECT dependency FROM live_source)`,
  )
  await session.run('CREATE OR REPLACE TEMP TABLE live_texts (name VARCHAR, id UINTEGER)')
  const rows = new ChunkBuilder([VARCHAR, UINTEGER])
  for (const { name } of texts) {
    rows.putBytes(0, Buffer.from(name as string))
    putWord(rows, 1, live.texts.ofText(name as string))
    rows.endRow()
  }
  await appendRows(session, 'temp', 'live_texts', rows)
}

/** Resolves with the service of each origin, by its number. */
async function numberOrigins(session: Session, live: LiveSpans, origins: string[]): Promise<Map<number, number>> {
  const found = await session.rows(
    `SELECT DISTINCT ON (origin) origin, service, resource, scope_name, scope_version FROM (${origins.join(' UNION ALL ')})
     WHERE origin IN (SELECT origin FROM live_source)`,
  )
  await session.run('CREATE OR REPLACE TEMP TABLE live_origins (origin UBIGINT, id UINTEGER)')
  const rows = new ChunkBuilder([UBIGINT, UINTEGER])
  const services = new Map<number, number>()
  for (const row of found) {
    const id = live.origins.of(hexOfOrigin(row), originOf(row))
    services.set(id, live.texts.ofText(row['service'] as string))
    rows.putReversed(0, Buffer.from(hexOfNumber(row['origin']), 'hex'), 0, 8)
    putWord(rows, 1, id)
    rows.endRow()
  }
  await appendRows(session, 'temp', 'live_origins', rows)
  return services
}

function hexOfOrigin(row: Row): string {
  return hexOfNumber(row['origin'])
}

function originOf(row: Row) {
  return {
    serviceName: row['service'] as string,
    resourceJson: row['resource'] as string,
    scopeName: row['scope_name'] as string,
    scopeVersion: row['scope_version'] as string,
  }
}

/** The width of each column that `read` selects. */
const WIDTHS = [16, 16, 8, 8, 8, 8, 1, 1, 1, 4, 4, 4, 4, 4, 8]

type Cells = Uint8Array[]

function columnsOf(chunk: DataChunk, rows: number): Cells {
  return WIDTHS.map((width, i) => duckdb.vector_get_data(duckdb.data_chunk_get_vector(chunk, i), rows * width))
}

const trace = new Uint8Array(16)
const span = new Uint8Array(8)
const parent = new Uint8Array(8)

function fill(live: LiveSpans, place: Place, cells: Cells, row: number, grids: Map<string, LiveGrid>): ReadSpan {
  const { segment, row: to } = place
  const column = (index: number) => cells[index] as Uint8Array
  const grid = gridOf(live, column(0), row, grids)
  wireUuid(column(1), row, trace)
  wireNumber(column(2), row, span)
  wireNumber(column(3), row, parent)
  const hasParent = fillKeys(segment, to, grid, trace, 0, span, parent, 0)
  fillTimes(segment, to, wordAt(column(9), row) | 0, halvesAt(column(4), row), halvesAt(column(5), row), 0)
  segment.grid[to] = grid.index
  segment.kind[to] = column(6)[row] as number
  segment.status[to] = column(7)[row] as number
  segment.origin[to] = wordAt(column(10), row)
  segment.operation[to] = wordAt(column(11), row)
  segment.called[to] = wordAt(column(12), row)
  segment.dependency[to] = wordAt(column(13), row)
  return { hasParent, isRequest: ((column(8)[row] as number) & REQUEST) !== 0, row: wordAt(column(14), row * 2) }
}

function gridOf(live: LiveSpans, cells: Uint8Array, row: number, known: Map<string, LiveGrid>): LiveGrid {
  const hex = Buffer.from(wireUuid(cells, row)).toString('hex')
  const found = known.get(hex)
  if (found) return found
  const grid = live.grid(hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'))
  known.set(hex, grid)
  return grid
}

function wordAt(cells: Uint8Array, index: number): number {
  const at = index * 4
  const [a, b, c, d] = [cells[at], cells[at + 1], cells[at + 2], cells[at + 3]] as [number, number, number, number]
  return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0
}

const halves = [new Uint32Array(2), new Uint32Array(2)] as const
let turn: 0 | 1 = 0

/** Two are needed at a time. */
function halvesAt(cells: Uint8Array, row: number): Uint32Array {
  turn = turn === 0 ? 1 : 0
  const words = halves[turn]
  words[0] = wordAt(cells, row * 2)
  words[1] = wordAt(cells, row * 2 + 1)
  return words
}
