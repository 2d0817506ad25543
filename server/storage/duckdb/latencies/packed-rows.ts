import type { DuckDBBlobValue } from '@duckdb/node-api'
import { NumberColumns } from '../engine/number-columns.ts'
import type { Session } from '../engine/session.ts'

/** A part of an answer: columns of numbers, and what each row has packed in its last column. */
export interface PackedRows {
  numbers: NumberColumns
  packed: Uint8Array[]
}

/** The answer to a statement that selects nothing but numbers and, last of all, packed counts: a part at a time. */
export async function eachPackedRows(session: Session, sql: string, each: (rows: PackedRows) => void): Promise<void> {
  await session.chunks(sql, (chunk) => {
    const last = chunk.columnCount - 1
    const numbers = new NumberColumns(Array.from({ length: last }, (_, i) => chunk.getColumnVector(i).type))
    numbers.add(chunk)
    each({ numbers, packed: chunk.getColumnValues(last).map((value) => (value as DuckDBBlobValue).bytes) })
  })
}
