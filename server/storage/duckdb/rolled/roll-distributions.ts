import { BIGINT, UINTEGER, VARCHAR } from '@duckdb/node-api'
import { addedDistributions, type Distribution } from '../../../domain/added-distributions.ts'
import { appendRows, putWord } from '../engine/append-rows.ts'
import { ChunkBuilder } from '../engine/chunk-builder.ts'
import type { Session } from '../engine/session.ts'
import { NS_PER_MINUTE, stepNumberOfColumn } from '../scope/minute-ranges.ts'
import { detailOf, pointValueOf } from '../write/point-rows.ts'

/** Where the cells of distributions go, and of how many minutes they are. */
interface Target {
  alias: string
  table: 'distributions_5m' | 'distributions_1h'
  minutes: 5 | 60
}

/** Rolls up cells, or points that look like cells, with whether they are deltas: `is_delta`. */
export async function rollDistributions(session: Session, cells: string, target: Target): Promise<void> {
  await rollCumulative(session, cells, target)
  await rollDeltas(session, cells, target)
}

/** Of sums of all time the last one stays, for each beginning; and the first of the hour, for who knows of none before. */
async function rollCumulative(session: Session, cells: string, { alias, table, minutes }: Target): Promise<void> {
  await session.run(
    `INSERT INTO ${alias}.${table}
     SELECT series_no, start_ns, sum(points), min(first_ns), max(last_ns), arg_max(detail, last_ns)
     FROM (${cells}) WHERE NOT is_delta GROUP BY series_no, start_ns, ${stepNumberOfColumn('last_ns', minutes)}
     UNION ALL
     SELECT series_no, arg_min(start_ns, last_ns), 0, min(last_ns), min(last_ns), arg_min(detail, last_ns)
     FROM (${cells}) WHERE NOT is_delta GROUP BY series_no HAVING count(*) > 1
     ORDER BY 1, 5`,
  )
}

interface Cell {
  seriesNo: number
  points: number
  firstNs: bigint
  lastNs: bigint
  /** The time that its points took together. */
  elapsedNs: bigint
  value: Distribution
}

async function rollDeltas(session: Session, cells: string, { alias, table, minutes }: Target): Promise<void> {
  const rows = new ChunkBuilder([UINTEGER, BIGINT, UINTEGER, BIGINT, BIGINT, VARCHAR])
  const stepNs = NS_PER_MINUTE * BigInt(minutes)
  let current: Cell[] = []
  const add = (cell: Cell) => {
    const [first] = current
    if (first && (first.seriesNo !== cell.seriesNo || stepOf(first.lastNs, stepNs) !== stepOf(cell.lastNs, stepNs))) {
      for (const done of current) putCell(rows, done)
      current = []
    }
    mergeInto(current, cell)
  }
  await session.chunks(
    `SELECT series_no, start_ns, points::UINTEGER, first_ns, last_ns, detail FROM (${cells}) WHERE is_delta
     ORDER BY series_no, last_ns`,
    (chunk) => {
      const columns = Array.from({ length: 6 }, (_, i) => chunk.getColumnValues(i))
      for (let i = 0; i < chunk.rowCount; i++) add(cellOf(columns.map((column) => column[i])))
    },
  )
  for (const done of current) putCell(rows, done)
  await appendRows(session, alias, table, rows)
}

function cellOf([seriesNo, startNs, points, firstNs, lastNs, detail]: unknown[]): Cell {
  return {
    seriesNo: seriesNo as number,
    points: points as number,
    firstNs: firstNs as bigint,
    lastNs: lastNs as bigint,
    // What does not say since when it counts has taken no time that is known.
    elapsedNs: (startNs as bigint) > 0n ? (lastNs as bigint) - (startNs as bigint) : 0n,
    value: pointValueOf(0, detail as string) as Distribution,
  }
}

/** A point that does not say since when it counts stays by itself: what it took follows from the one before. */
function mergeInto(cells: Cell[], added: Cell): void {
  for (const cell of cells) {
    const elapsedNs = cell.elapsedNs + added.elapsedNs
    if (cell.elapsedNs <= 0n || added.elapsedNs <= 0n || elapsedNs >= added.lastNs) continue
    const value = addedDistributions(cell.value, added.value)
    if (!value) continue
    Object.assign(cell, { points: cell.points + added.points, lastNs: added.lastNs, elapsedNs, value })
    return
  }
  cells.push(added)
}

/** As one point that took as long as all of them together. */
function putCell(rows: ChunkBuilder, { seriesNo, points, firstNs, lastNs, elapsedNs, value }: Cell): void {
  putWord(rows, 0, seriesNo)
  putTime(rows, 1, elapsedNs > 0n ? lastNs - elapsedNs : 0n)
  putWord(rows, 2, points)
  putTime(rows, 3, firstNs)
  putTime(rows, 4, lastNs)
  rows.putBytes(5, Buffer.from(detailOf(value)))
  rows.endRow()
}

function putTime(rows: ChunkBuilder, column: number, ns: bigint): void {
  new DataView((rows.cells[column] as Uint8Array).buffer).setBigInt64(rows.row * 8, ns, true)
}

function stepOf(ns: bigint, stepNs: bigint): bigint {
  return ns - (((ns % stepNs) + stepNs) % stepNs)
}
