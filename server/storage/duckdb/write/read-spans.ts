import { UBIGINT, UINTEGER, VARCHAR } from '@duckdb/node-api'
import duckdb, { type DataChunk } from '@duckdb/node-bindings'
import { appendRows, putWord } from '../engine/append-rows.ts'
import { ChunkBuilder } from '../engine/chunk-builder.ts'
import type { Row, Session } from '../engine/session.ts'
import type { LiveGrid } from '../live/live-grids.ts'
import { fillKeys, fillTimes } from '../live/live-rows.ts'
import type { LiveSpans } from '../live/live-spans.ts'
import type { Place } from '../live/span-ring.ts'
import { REQUEST } from '../schema.ts'
import { hexOfNumber } from '../traces/span-rows-read.ts'
import { wireNumber, wireUuid } from './wire-cells.ts'

/** The table `live_source`, which `readSpans` reads; texts have their own columns, and `row` is their order. */
export const SPAN_COLUMNS = `grid UUID, trace_id UUID, span_id UBIGINT, parent_id UBIGINT, start_ns BIGINT, duration_ns BIGINT, kind UTINYINT,
  status UTINYINT, role UTINYINT, hour INTEGER, origin UBIGINT, operation VARCHAR, called VARCHAR, dependency VARCHAR, row UBIGINT`

export interface ReadSpan {
  hasParent: boolean
  /** Whether it would be a request, by itself. */
  isRequest: boolean
  row: number
}

/** Reads the spans in `live_source`, in order. The database's own memory is read: a value at a time would take seconds. */
export async function readSpans(
  session: Session,
  live: LiveSpans,
  origins: string[],
  each: (place: Place, span: ReadSpan) => void,
): Promise<void> {
  // Numbers are given before the spans that have them are in memory.
  const release = live.hold()
  try {
    await readNumbered(session, live, origins, each)
  } finally {
    release()
  }
}

async function readNumbered(
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

/** The width of each column that `readSpans` selects. */
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
