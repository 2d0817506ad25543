import { BLOB, INTEGER, UINTEGER, UTINYINT } from '@duckdb/node-api'
import { appendRows, putByte, putWord } from '../engine/append-rows.ts'
import { ChunkBuilder } from '../engine/chunk-builder.ts'
import type { Session } from '../engine/session.ts'
import { CountSums } from '../latencies/count-sums.ts'
import { CountPacker, eachCount } from '../latencies/packed-counts.ts'
import { eachPackedRows } from '../latencies/packed-rows.ts'
import { partsOf } from '../latencies/rewrite-latencies.ts'
import { IS_REQUEST, ROLE } from './request-roles.ts'

/** Sorted and held in memory at a time. */
const ROWS_MAX = 200_000

/** What the rows of a table are by. Those that are numbers of names are the hour's, and become the day's. */
const TABLES = {
  latencies_1h: {
    keys: ['service_no', 'operation_no', 'kind', `${ROLE} AS role`],
    types: [UINTEGER, UINTEGER, UTINYINT, UTINYINT],
    parted: 'operation_no',
  },
  service_latencies_1h: {
    keys: ['service_no', 'kind', `${ROLE} AS role`],
    types: [UINTEGER, UTINYINT, UTINYINT],
    parted: 'service_no',
  },
  service_latencies_5m: {
    keys: ['minute // 5 * 5 AS minute', 'service_no', 'kind', `${ROLE} AS role`],
    types: [UTINYINT, UINTEGER, UTINYINT, UTINYINT],
    parted: 'service_no',
  },
} as const

/** Writes how long the requests of an hour took into its day, within the caller's transaction. */
export async function rollLatencies(session: Session, from: string, to: string, numbers: DayNumbers): Promise<void> {
  for (const table of Object.keys(TABLES) as (keyof typeof TABLES)[]) await rollInto(session, table, from, to, numbers)
}

interface DayNumbers {
  hour: number
  /** The day's number for a name's number in the hour. */
  nameOf: (no: number) => number
}

async function rollInto(
  session: Session,
  table: keyof typeof TABLES,
  from: string,
  to: string,
  { hour, nameOf }: DayNumbers,
): Promise<void> {
  const { keys, types, parted } = TABLES[table]
  const source = `${from}.minute_latencies`
  for (const part of await partsOf(session, source, ROWS_MAX, parted)) {
    const rows = new ChunkBuilder([INTEGER, ...types, BLOB])
    const [sums, packer] = [new CountSums(), new CountPacker()]
    const current = new Float64Array(types.length)
    const endSeries = () => {
      sums.take((bucket, count) => packer.add(bucket, count))
      const counts = packer.take()
      if (counts.length === 0) return
      putWord(rows, 0, hour)
      for (const [i, type] of types.entries()) {
        const key = current[i] as number
        if (type === UINTEGER) putWord(rows, i + 1, nameOf(key))
        else putByte(rows, i + 1, key)
      }
      rows.putBytes(types.length + 1, counts)
      rows.endRow()
    }
    const order = types.map((_, i) => i + 1).join(', ')
    await eachPackedRows(
      session,
      `SELECT ${keys.join(', ')}, counts FROM ${source} WHERE ${IS_REQUEST} AND ${part} ORDER BY ${order}`,
      ({ numbers, packed }) => {
        const columns = types.map((_, i) => numbers.column(i))
        for (const [row, counts] of packed.entries()) {
          if (columns.some((column, i) => column[row] !== current[i])) {
            endSeries()
            for (const [i, column] of columns.entries()) current[i] = column[row] as number
          }
          eachCount(counts, (bucket, count) => sums.add(bucket, count))
        }
      },
    )
    endSeries()
    await appendRows(session, to, table, rows)
  }
}
