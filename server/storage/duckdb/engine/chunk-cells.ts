import type { DuckDBDataChunk } from '@duckdb/node-api'
import duckdb from '@duckdb/node-bindings'

/** What a text has where it is short, or where it lies: its length, and 12 bytes. */
const TEXT_WIDTH = 16
const SHORT_TEXT_MAX = 12
const UUID_WIDTH = 16
const ID_WIDTH = 8
const TOP_BIT = 0x80

/** A text may begin with what others take for a mark of its encoding. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** A column of `joinedTexts`, and how long each of its texts is. */
export function joinedTexts(texts: string[]): string {
  return [`concat(${texts.join(', ')})`, ...texts.map((text) => `strlen(${text})::UINTEGER`)].join(', ')
}

/**
 * A part of an answer, read by columns from the database's own memory, none of them null: many rows as objects take longer than
 * the statement.
 */
export class ChunkCells {
  readonly rows: number
  /** Of all texts that were read. */
  textBytes = 0
  private readonly chunk: DuckDBDataChunk

  constructor(chunk: DuckDBDataChunk) {
    this.chunk = chunk
    this.rows = chunk.rowCount
  }

  bytes(column: number): Uint8Array {
    return this.copy(column, 1)
  }

  words(column: number): Uint32Array {
    return new Uint32Array(this.copy(column, 4).buffer)
  }

  doubles(column: number): Float64Array {
    return new Float64Array(this.copy(column, 8).buffer)
  }

  bigints(column: number): BigInt64Array {
    return new BigInt64Array(this.copy(column, 8).buffer)
  }

  /** Numbers of 64 bits as 16 digits. */
  ids(column: number): (row: number) => string {
    return this.digits(this.copy(column, ID_WIDTH).reverse(), ID_WIDTH)
  }

  /** As 32 digits. */
  uuids(column: number): (row: number) => string {
    const bytes = this.copy(column, UUID_WIDTH).reverse()
    // Turned in the database, where such numbers have a sign.
    for (let at = 0; at < bytes.length; at += UUID_WIDTH) bytes[at] = (bytes[at] as number) ^ TOP_BIT
    return this.digits(bytes, UUID_WIDTH)
  }

  /** The texts of `joinedTexts`, which are so many: a call for each of them would take longer than making them. */
  texts(column: number, count: number): (row: number) => string[] {
    const memory = this.memory(column, TEXT_WIDTH)
    const view = new DataView(memory.buffer, memory.byteOffset, memory.byteLength)
    const lengths = Array.from({ length: count }, (_, i) => this.words(column + 1 + i))
    return (row) => {
      const at = row * TEXT_WIDTH
      const length = view.getUint32(at, true)
      this.textBytes += length
      const bytes =
        length <= SHORT_TEXT_MAX
          ? memory.subarray(at + 4, at + 4 + length)
          : duckdb.get_data_from_pointer(memory.buffer as ArrayBuffer, memory.byteOffset + at + 8, length)
      return split(
        bytes,
        lengths.map((each) => each[row] as number),
      )
    }
  }

  /** Cells from the last to the first, each with its highest byte first. */
  private digits(reversed: Uint8Array, width: number): (row: number) => string {
    const digits = Buffer.from(reversed.buffer).toString('hex')
    return (row) => digits.slice((this.rows - 1 - row) * width * 2, (this.rows - row) * width * 2)
  }

  /** Gone with the next chunk. */
  private memory(column: number, width: number): Uint8Array {
    return duckdb.vector_get_data(duckdb.data_chunk_get_vector(this.chunk.chunk, column), this.rows * width)
  }

  private copy(column: number, width: number): Uint8Array {
    return this.memory(column, width).slice()
  }
}

function split(bytes: Uint8Array, lengths: number[]): string[] {
  const whole = utf8.decode(bytes)
  const isOneByteEach = whole.length === bytes.length
  let end = 0
  return lengths.map((length) => {
    const start = end
    end += length
    return isOneByteEach ? whole.slice(start, end) : utf8.decode(bytes.subarray(start, end))
  })
}
