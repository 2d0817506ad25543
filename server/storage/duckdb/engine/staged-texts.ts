import { isUtf8 } from 'node:buffer'
import duckdb, { type Vector } from '@duckdb/node-bindings'
import type { TextColumn } from '../../../domain/columns/text-column.ts'

/** As the database's C interface lays a text out: its length, then up to 12 bytes of it, or 4 of them and where it is. */
const HANDLE_BYTES = 16
const HANDLE_WORDS = 4
const INLINE_BYTES_MAX = 12
const FIRST_BYTES = 64 * 1024
/** More is given back once it has been written. */
const KEPT_BYTES_MAX = 4 * 1024 * 1024
const TWO_TO_32 = 4_294_967_296
const SPACE = 0x20

/**
 * The texts of one column of a chunk. They are collected one behind the other and given to the database as a single text, of
 * which each row's is a part: a call for each would cost as much as all the rest of writing a row. What is no valid UTF-8 is
 * left empty.
 */
export class StagedTexts {
  private readonly handles: Uint32Array<ArrayBuffer>
  private readonly handleBytes: Uint8Array<ArrayBuffer>
  /** Where each row's text begins in `bytes`. */
  private readonly starts: Uint32Array
  private bytes = new Uint8Array(FIRST_BYTES)
  private byteLength = 0

  constructor(rowsMax: number) {
    this.handles = new Uint32Array(rowsMax * HANDLE_WORDS)
    this.handleBytes = new Uint8Array(this.handles.buffer)
    this.starts = new Uint32Array(rowsMax)
  }

  /** The texts of consecutive rows of a column, from `first` on, as those of rows `row` and following. */
  putRows(row: number, texts: TextColumn, first: number, count: number): void {
    const start = texts.startOf(first)
    const end = texts.endOf(first + count - 1)
    const base = this.copy(texts.bytes, start, end) - start
    let from = start
    for (let i = 0; i < count; i++) {
      const to = texts.endOf(first + i)
      if (to > from) this.point(row + i, base + from, to - from)
      from = to
    }
  }

  put(row: number, text: Uint8Array): void {
    this.point(row, this.copy(text, 0, text.length), text.length)
  }

  /** Writes the rows to a vector, and begins anew. Rows that were given no text are empty. */
  finish(vector: Vector, rows: number): void {
    if (this.byteLength > INLINE_BYTES_MAX) this.locate(rows, this.handOver(vector, rows))
    duckdb.copy_data_to_vector(vector, 0, this.handles.buffer, 0, rows * HANDLE_BYTES)
    this.handles.fill(0, 0, rows * HANDLE_WORDS)
    this.byteLength = 0
    if (this.bytes.length > KEPT_BYTES_MAX) this.bytes = new Uint8Array(FIRST_BYTES)
  }

  /** Returns where the copy begins. */
  private copy(source: Uint8Array, start: number, end: number): number {
    const at = this.byteLength
    const needed = at + end - start
    if (needed > this.bytes.length) {
      const grown = new Uint8Array(Math.max(needed, this.bytes.length * 2))
      grown.set(this.bytes.subarray(0, at))
      this.bytes = grown
    }
    if (end > start) this.bytes.set(source.subarray(start, end), at)
    this.byteLength = needed
    return at
  }

  /** A long text's place in memory is filled in when it is known where all of them are. */
  private point(row: number, at: number, length: number): void {
    const { handles, handleBytes, bytes } = this
    this.starts[row] = at
    handles[row * HANDLE_WORDS] = length
    const inHandle = length <= INLINE_BYTES_MAX ? length : 4
    const to = row * HANDLE_BYTES + 4
    for (let i = 0; i < inHandle; i++) handleBytes[to + i] = bytes[at + i] as number
  }

  /** Returns the address of the database's copy. */
  private handOver(vector: Vector, rows: number): bigint {
    const all = this.bytes.subarray(0, this.byteLength)
    // The database takes nothing that is not valid, and does not say so.
    if (!isUtf8(all)) this.emptyInvalid(rows)
    duckdb.vector_assign_string_element_len(vector, 0, all)
    const handle = duckdb.vector_get_data(vector, HANDLE_BYTES)
    return new DataView(handle.buffer, handle.byteOffset, HANDLE_BYTES).getBigUint64(8, true)
  }

  private emptyInvalid(rows: number): void {
    for (let row = 0; row < rows; row++) {
      const start = this.starts[row] as number
      const text = this.bytes.subarray(start, start + (this.handles[row * HANDLE_WORDS] as number))
      if (isUtf8(text)) continue
      text.fill(SPACE)
      this.handles.fill(0, row * HANDLE_WORDS, (row + 1) * HANDLE_WORDS)
    }
  }

  private locate(rows: number, address: bigint): void {
    const { handles, starts } = this
    const low = Number(address & 0xffff_ffffn)
    const high = Number(address >> 32n)
    for (let row = 0; row < rows; row++) {
      const at = row * HANDLE_WORDS
      if ((handles[at] as number) <= INLINE_BYTES_MAX) continue
      const place = low + (starts[row] as number)
      handles[at + 2] = place >>> 0
      handles[at + 3] = place >= TWO_TO_32 ? high + 1 : high
    }
  }
}
