import type { ChunkBuilder } from './chunk-builder.ts'
import type { Session } from './session.ts'

/** Appends what a builder has collected to a table, within the caller's transaction if there is one. */
export async function appendRows(session: Session, catalog: string, table: string, rows: ChunkBuilder): Promise<void> {
  if (rows.isEmpty) return
  const appender = await session.connection.createAppender(table, 'main', catalog)
  try {
    for (const chunk of rows.take()) appender.appendDataChunk(chunk)
    appender.flushSync()
  } finally {
    appender.closeSync()
  }
}

/** Writes a 32-bit number into the row being filled. */
export function putWord(rows: ChunkBuilder, column: number, value: number): void {
  ;(rows.words[column] as Uint32Array)[rows.row] = value
}

export function putByte(rows: ChunkBuilder, column: number, value: number): void {
  ;(rows.cells[column] as Uint8Array)[rows.row] = value
}

/** A whole number within the range of doubles, as 64 bits. */
export function putCount(rows: ChunkBuilder, column: number, value: number): void {
  const words = rows.words[column] as Uint32Array
  words[rows.row * 2] = value >>> 0
  words[rows.row * 2 + 1] = Math.floor(value / 4_294_967_296)
}

export function putPair(rows: ChunkBuilder, column: number, low: number, high: number): void {
  const words = rows.words[column] as Uint32Array
  words[rows.row * 2] = low
  words[rows.row * 2 + 1] = high
}

export function putBigInt(rows: ChunkBuilder, column: number, value: bigint): void {
  putPair(rows, column, Number(BigInt.asUintN(32, value)), Number(BigInt.asUintN(32, value >> 32n)))
}
