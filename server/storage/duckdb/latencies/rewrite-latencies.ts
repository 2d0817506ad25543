import type { NumberColumns } from '../engine/number-columns.ts'
import type { Session } from '../engine/session.ts'
import { createTables, HOUR_FILE_TABLES } from '../schema.ts'
import { LatencyWriter } from './latency-writer.ts'
import { eachCount } from './packed-counts.ts'
import { eachPackedRows } from './packed-rows.ts'

/** Sorted and held in memory at a time. */
const PACKED_ROWS_MAX = 200_000
const BUCKET_ROWS_MAX = 500_000

const KEYS = 'service_no, operation_no, kind, role, minute'

/** Copies the latencies of an hour, one row for each minute of a series. */
export async function rewriteLatencies(session: Session, from: string, to: string): Promise<void> {
  const table = `${from}.minute_latencies`
  for (const part of await partsOf(session, table, PACKED_ROWS_MAX)) {
    const writer = new LatencyWriter()
    const sql = `SELECT ${KEYS}, counts FROM ${table} WHERE ${part} ORDER BY ${KEYS}`
    await eachPackedRows(session, sql, ({ numbers, packed }) => {
      for (const [row, counts] of packed.entries()) {
        begin(writer, numbers, row)
        eachCount(counts, (bucket, count) => writer.add(bucket, count))
      }
    })
    await writer.append(session, to)
  }
}

/** Packs the latencies of an hour as earlier programs wrote them: a row for each bucket. */
export async function packLatencies(session: Session, alias: string): Promise<void> {
  await session.run('BEGIN TRANSACTION')
  try {
    await session.run(`ALTER TABLE ${alias}.minute_latencies RENAME TO latency_rows`)
    await session.run(`DROP TABLE IF EXISTS ${alias}.hour_latencies`)
    const { minute_latencies } = HOUR_FILE_TABLES
    for (const sql of createTables(alias, { minute_latencies })) await session.run(sql)
    await packRows(session, `${alias}.latency_rows`, alias)
    await session.run(`DROP TABLE ${alias}.latency_rows`)
    await session.run('COMMIT')
  } catch (error) {
    await session.run('ROLLBACK').catch(() => undefined)
    throw error
  }
}

async function packRows(session: Session, from: string, to: string): Promise<void> {
  for (const part of await partsOf(session, from, BUCKET_ROWS_MAX)) {
    const writer = new LatencyWriter()
    const rows = await session.numbers(`SELECT ${KEYS}, bucket, requests FROM ${from} WHERE ${part} ORDER BY ${KEYS}`)
    const [buckets, requests] = [rows.column(5), rows.column(6)]
    for (let row = 0; row < rows.rows; row++) {
      begin(writer, rows, row)
      writer.add(buckets[row] as number, requests[row] as number)
    }
    await writer.append(session, to)
  }
}

/** Conditions that each have some of a column's numbers, and all rows of these. */
export async function partsOf(
  session: Session,
  table: string,
  rowsMax: number,
  column = 'operation_no',
): Promise<string[]> {
  const counted = await session.numbers(`SELECT count(*)::DOUBLE FROM ${table}`)
  const parts = Math.ceil((counted.column(0)[0] as number) / rowsMax)
  return Array.from({ length: parts }, (_, part) => `${column} % ${parts} = ${part}`)
}

function begin(writer: LatencyWriter, keys: NumberColumns, row: number): void {
  const key = (column: number) => keys.column(column)[row] as number
  writer.begin(key(0), key(1), key(2), key(3), key(4))
}
