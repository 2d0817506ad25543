import { BLOB, type DuckDBType, INTEGER, UINTEGER, UTINYINT } from '@duckdb/node-api'
import { appendRows, putByte, putWord } from '../engine/append-rows.ts'
import { ChunkBuilder } from '../engine/chunk-builder.ts'
import type { Session } from '../engine/session.ts'
import { CountSums } from '../latencies/count-sums.ts'
import { CountPacker, eachCount } from '../latencies/packed-counts.ts'
import { eachPackedRows } from '../latencies/packed-rows.ts'
import { packedSteps } from '../latencies/packed-steps.ts'
import { partsOf } from '../latencies/rewrite-latencies.ts'
import { IS_REQUEST, ROLE } from './request-roles.ts'

/** Sorted and held in memory at a time. */
const ROWS_MAX = 200_000

/** What the rows of a table are by. Numbers of names are the hour's, and become the day's. */
interface RolledTable {
  keys: string[]
  types: DuckDBType[]
  /** Which of the counts that a row packs together a minute belongs to. */
  step: string | undefined
}

const OF_SERVICE = { keys: ['service_no', 'kind', ROLE], types: [UINTEGER, UTINYINT, UTINYINT] }

const TABLES: Record<string, RolledTable> = {
  latencies_1h: {
    keys: ['service_no', 'operation_no', 'kind', ROLE],
    types: [UINTEGER, UINTEGER, UTINYINT, UTINYINT],
    step: undefined,
  },
  service_latencies_1h: { ...OF_SERVICE, step: undefined },
  service_latencies_5m: { ...OF_SERVICE, step: 'minute // 5' },
}

interface DayNumbers {
  hour: number
  /** The day's number for a name's number in the hour. */
  nameOf: (no: number) => number
}

/** Writes how long the requests of an hour took into its day, within the caller's transaction. */
export async function rollLatencies(session: Session, from: string, to: string, numbers: DayNumbers): Promise<void> {
  const source = `${from}.minute_latencies`
  for (const [name, table] of Object.entries(TABLES))
    for (const part of await partsOf(session, source, ROWS_MAX, 'service_no')) {
      const writer = new RowWriter(table, numbers)
      const columns = [...table.keys, table.step ?? '0::UTINYINT']
      const order = columns.map((_, i) => i + 1).join(', ')
      await eachPackedRows(
        session,
        `SELECT ${columns.join(', ')}, counts FROM ${source} WHERE ${IS_REQUEST} AND ${part} ORDER BY ${order}`,
        ({ numbers, packed }) => {
          const found = columns.map((_, i) => numbers.column(i))
          for (const [row, counts] of packed.entries())
            writer.add(
              found.map((column) => column[row] as number),
              counts,
            )
        },
      )
      await appendRows(session, to, name, writer.ended())
    }
}

/** Makes a row of the counts of each key, which come one after the other, and within a key by step. */
class RowWriter {
  private readonly rows: ChunkBuilder
  private readonly table: RolledTable
  private readonly numbers: DayNumbers
  private readonly sums = new CountSums()
  private readonly packer = new CountPacker()
  private current: number[] = []
  private steps: { step: number; counts: Uint8Array }[] = []

  constructor(table: RolledTable, numbers: DayNumbers) {
    this.table = table
    this.numbers = numbers
    this.rows = new ChunkBuilder([INTEGER, ...table.types, BLOB])
  }

  /** The last of the keys is the step. */
  add(keys: number[], counts: Uint8Array): void {
    const changed = keys.findIndex((key, i) => key !== this.current[i])
    if (changed >= 0) this.endStep()
    if (changed >= 0 && changed < keys.length - 1) this.endRow()
    this.current = keys
    eachCount(counts, (bucket, count) => this.sums.add(bucket, count))
  }

  ended(): ChunkBuilder {
    this.endStep()
    this.endRow()
    return this.rows
  }

  private endStep(): void {
    this.sums.take((bucket, count) => this.packer.add(bucket, count))
    const counts = this.packer.take()
    if (counts.length > 0) this.steps.push({ step: this.current.at(-1) as number, counts: counts.slice() })
  }

  private endRow(): void {
    const [first] = this.steps
    if (!first) return
    const { rows, table, numbers } = this
    putWord(rows, 0, numbers.hour)
    for (const [i, type] of table.types.entries()) {
      const key = this.current[i] as number
      if (type === UINTEGER) putWord(rows, i + 1, numbers.nameOf(key))
      else putByte(rows, i + 1, key)
    }
    rows.putBytes(table.types.length + 1, table.step === undefined ? first.counts : packedSteps(this.steps))
    rows.endRow()
    this.steps = []
  }
}
