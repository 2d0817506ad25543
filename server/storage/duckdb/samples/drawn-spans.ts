import duckdb from '@duckdb/node-bindings'
import { minutesOf, NS_PER_HOUR, type TimeWindow } from '../../../domain/time-window.ts'
import { LocalNames } from '../figures/local-names.ts'
import { GroupSums } from '../live/group-sums.ts'
import type { HourUnit } from '../scope/asked-files.ts'
import { namesOf } from '../scope/hour-names.ts'
import { inRanges, minuteOfColumn, NS_PER_MINUTE } from '../scope/minute-ranges.ts'
import { openRows, type Scope } from '../scope/scope.ts'
import { isDrawn, isKeptApart } from '../seal/drawn-lot.ts'
import { openOrigins } from '../traces/span-rows-read.ts'

/** As spans are stored: calls, what sends messages, and what takes them. */
export const CLIENT = 3
export const PRODUCER = 4
export const CONSUMER = 5

const TOP_BIT = 0x80000000
const FIRST_ROWS = 1024

/** How wide each column is that is read: trace, span, parent, minute, whether it is in the window, duration, kind, service, operation. */
const WIDTHS = [16, 8, 8, 4, 1, 8, 1, 4, 4]

/** What the traces that are drawn did, span by span, in numbers. */
export class DrawnSpans {
  size = 0
  readonly names = new LocalNames()
  /** By number of the trace: its id as four words, the highest first. */
  readonly traces = new GroupSums(1)
  /** How many minutes the window touches, and where the first of them begins. */
  readonly minuteCount: number
  readonly startNs: bigint
  trace = new Uint32Array(FIRST_ROWS)
  /** Counted from the window's first. */
  minute = new Int32Array(FIRST_ROWS)
  isInWindow = new Uint8Array(FIRST_ROWS)
  durationNs = new Float64Array(FIRST_ROWS)
  kind = new Uint8Array(FIRST_ROWS)
  service = new Uint32Array(FIRST_ROWS)
  operation = new Uint32Array(FIRST_ROWS)
  /** The span that each is below, or -1 where it is below none that was drawn. */
  parent = new Int32Array(FIRST_ROWS)
  private readonly spans = new GroupSums(1)
  private parentHigh = new Uint32Array(FIRST_ROWS)
  private parentLow = new Uint32Array(FIRST_ROWS)
  private readonly firstMinute: number

  constructor(window: TimeWindow) {
    const { startNs, count } = minutesOf(window)
    this.startNs = startNs
    this.minuteCount = count
    this.firstMinute = Number(startNs / NS_PER_MINUTE)
  }

  /** Rows of `WIDTHS`; `nameOf` tells what the numbers of services and operations are among `names`. */
  add(columns: Uint8Array[], rows: number, nameOf: (no: number) => number): void {
    const [trace, span, parent, minute, , , , service, operation] = columns.map(wordsOf)
    const [, , , , inWindow, duration, kind] = columns
    const durations = new Float64Array(wordsOf(duration as Uint8Array).buffer, 0, rows)
    const word = (of: Uint32Array | undefined, at: number) => of?.[at] as number
    for (let row = 0; row < rows; row++) {
      const to = this.reserve()
      const high = (word(trace, row * 4 + 3) ^ TOP_BIT) >>> 0
      const number = this.traces.at(high, word(trace, row * 4 + 2), word(trace, row * 4 + 1), word(trace, row * 4), 0)
      this.trace[to] = number
      // Found first, because the sums may have to grow for it.
      const at = this.spans.at(number, word(span, row * 2 + 1), word(span, row * 2), 0, 0)
      this.spans.sums[at] = to
      this.parentHigh[to] = word(parent, row * 2 + 1)
      this.parentLow[to] = word(parent, row * 2)
      this.minute[to] = (word(minute, row) | 0) - this.firstMinute
      this.isInWindow[to] = inWindow?.[row] as number
      this.durationNs[to] = durations[row] as number
      this.kind[to] = kind?.[row] as number
      this.service[to] = nameOf(word(service, row))
      this.operation[to] = nameOf(word(operation, row))
    }
  }

  /** So many more are about to be added. */
  expect(rows: number): void {
    this.spans.reserve(this.size + rows)
  }

  /** To be called once all are added. */
  join(): void {
    for (let row = 0; row < this.size; row++) {
      const [high, low] = [this.parentHigh[row] as number, this.parentLow[row] as number]
      const at = high === 0 && low === 0 ? -1 : this.spans.find(this.trace[row] as number, high, low, 0, 0)
      this.parent[row] = at === -1 ? -1 : (this.spans.sums[at] as number)
    }
  }

  /** All in one go: one by one, they cost several times as much. */
  traceIdsOf(rows: Int32Array): string[] {
    const ids = Buffer.alloc(rows.length * 16)
    for (let i = 0; i < rows.length; i++)
      for (let word = 0; word < 4; word++)
        ids.writeUInt32BE(this.traces.key(this.trace[rows[i] as number] as number, word), i * 16 + word * 4)
    const hex = ids.toString('hex')
    return Array.from(rows, (_, i) => hex.slice(i * 32, (i + 1) * 32))
  }

  /** Whether the trace of one span comes before that of another, by name. */
  isBefore(row: number, other: number): boolean {
    const [a, b] = [this.trace[row] as number, this.trace[other] as number]
    for (let word = 0; word < 4; word++) {
      const [wordA, wordB] = [this.traces.key(a, word), this.traces.key(b, word)]
      if (wordA !== wordB) return wordA < wordB
    }
    return false
  }

  private reserve(): number {
    if (this.size === this.trace.length) {
      const grown = <T extends { length: number; set(from: T): void }>(from: T, make: (length: number) => T): T => {
        const to = make(from.length * 2)
        to.set(from)
        return to
      }
      const words = (length: number) => new Uint32Array(length)
      const bytes = (length: number) => new Uint8Array(length)
      this.trace = grown(this.trace, words)
      this.service = grown(this.service, words)
      this.operation = grown(this.operation, words)
      this.parentHigh = grown(this.parentHigh, words)
      this.parentLow = grown(this.parentLow, words)
      this.kind = grown(this.kind, bytes)
      this.isInWindow = grown(this.isInWindow, bytes)
      this.minute = grown(this.minute, (length) => new Int32Array(length))
      this.parent = grown(this.parent, (length) => new Int32Array(length))
      this.durationNs = grown(this.durationNs, (length) => new Float64Array(length))
    }
    return this.size++
  }
}

/** Of cells that were copied: they begin where their memory does. */
function wordsOf(cells: Uint8Array): Uint32Array {
  return new Uint32Array(cells.buffer, 0, cells.length >> 2)
}

/** Spans of the traces that are drawn, with those that began up to an hour after the window. */
export async function drawSpans(scope: Scope, window: TimeWindow, oneTraceIn: number): Promise<DrawnSpans> {
  const near = inRanges('start_ns', [{ startNs: window.startNs, endNs: window.endNs + NS_PER_HOUR }])
  const drawn = new DrawnSpans(window)
  for (const unit of scope.units) {
    await addSealed(scope, unit, window, near, oneTraceIn, drawn)
    await addOpen(scope, unit, window, near, oneTraceIn, drawn)
  }
  drawn.join()
  return drawn
}

function ownColumns(window: TimeWindow): string {
  return `span_id, parent_id, (${minuteOfColumn('start_ns')} // ${NS_PER_MINUTE})::INTEGER, ${inRanges('start_ns', [window])},
    duration_ns::DOUBLE, kind`
}

async function addSealed(
  scope: Scope,
  { file }: HourUnit,
  window: TimeWindow,
  near: string,
  oneTraceIn: number,
  drawn: DrawnSpans,
): Promise<void> {
  if (!file) return
  const { alias } = file
  const parts: { cells: Uint8Array[]; rows: number }[] = []
  const used = new Set<number>()
  await eachChunk(
    scope,
    `SELECT s.trace_id, ${ownColumns(window)}, service_no, operation_no FROM ${sealedRows(alias, near, oneTraceIn)} s`,
    (cells, rows) => {
      parts.push({ cells, rows })
      for (const column of cells.slice(-2)) for (const number of wordsOf(column)) used.add(number)
    },
  )
  const nameOf = drawn.names.translator(await namesOf(scope.session, file, used))
  drawn.expect(parts.reduce((sum, { rows }) => sum + rows, 0))
  for (const { cells, rows } of parts) drawn.add(cells, rows, nameOf)
}

function sealedRows(alias: string, near: string, oneTraceIn: number): string {
  const drawn = isDrawn('trace_id', oneTraceIn)
  if (isKeptApart(oneTraceIn)) return `(SELECT * FROM ${alias}.drawn_spans WHERE ${near} AND ${drawn})`
  return `(SELECT trace_id, s.* FROM (SELECT trace_id, trace_no FROM ${alias}.traces WHERE ${drawn}) t
    JOIN (SELECT * FROM ${alias}.spans WHERE ${near}) s ON s.trace_no = t.trace_no)`
}

async function addOpen(
  scope: Scope,
  unit: HourUnit,
  window: TimeWindow,
  near: string,
  oneTraceIn: number,
  drawn: DrawnSpans,
): Promise<void> {
  const rows = openRows(unit, 'spans', 'trace_id, span_id, parent_id, start_ns, duration_ns, kind, operation, origin')
  if (!rows) return
  const { session, grid } = scope
  await session.run(
    `CREATE OR REPLACE TEMP TABLE drawn_open AS SELECT s.*, g.service FROM ${rows} s JOIN ${openOrigins(unit)} g USING (origin)
     WHERE ${near} AND ${isDrawn('trace_id', oneTraceIn)}`,
    grid,
  )
  await session.run(
    `CREATE OR REPLACE TEMP TABLE drawn_names AS SELECT name, (row_number() OVER ())::UINTEGER AS no FROM (
       SELECT DISTINCT service AS name FROM drawn_open UNION SELECT DISTINCT operation FROM drawn_open)`,
  )
  const names = new Map<number, string>()
  for (const row of await session.rows('SELECT name, no FROM drawn_names'))
    names.set(row['no'] as number, row['name'] as string)
  const nameOf = drawn.names.translator((no) => names.get(no) ?? '')
  await eachChunk(
    scope,
    `SELECT trace_id, ${ownColumns(window)}, v.no, o.no FROM drawn_open s JOIN drawn_names v ON v.name = s.service
     JOIN drawn_names o ON o.name = s.operation`,
    (cells, count) => drawn.add(cells, count, nameOf),
  )
}

/** The database's own memory is read, which is gone with the next chunk: the cells are copied. */
async function eachChunk(scope: Scope, sql: string, each: (cells: Uint8Array[], rows: number) => void): Promise<void> {
  await scope.session.chunks(sql, (chunk) => {
    const rows = chunk.rowCount
    const cells = WIDTHS.map((width, i) =>
      duckdb.vector_get_data(duckdb.data_chunk_get_vector(chunk.chunk, i), rows * width).slice(),
    )
    each(cells, rows)
  })
}
