import { DuckDBDataChunk, type DuckDBType, DuckDBTypeId } from '@duckdb/node-api'
import duckdb, { type Vector } from '@duckdb/node-bindings'
import type { TextColumn } from '../../domain/columns/text-column.ts'

const ROWS_PER_CHUNK = 2048
const BYTES_OF_TEXT_HANDLE = 16
const EMPTY_TEXTS = new ArrayBuffer(ROWS_PER_CHUNK * BYTES_OF_TEXT_HANDLE)

const WIDTHS: Partial<Record<DuckDBTypeId, number>> = {
  [DuckDBTypeId.UUID]: 16,
  [DuckDBTypeId.HUGEINT]: 16,
  [DuckDBTypeId.UBIGINT]: 8,
  [DuckDBTypeId.BIGINT]: 8,
  [DuckDBTypeId.DOUBLE]: 8,
  [DuckDBTypeId.UINTEGER]: 4,
  [DuckDBTypeId.INTEGER]: 4,
  [DuckDBTypeId.SMALLINT]: 2,
  [DuckDBTypeId.UTINYINT]: 1,
  [DuckDBTypeId.TINYINT]: 1,
  [DuckDBTypeId.BOOLEAN]: 1,
}

/**
 * Collects rows into the database's own vectors, which is several times faster than appending values. Fixed-width cells
 * are staged in plain memory and copied when the chunk is full; texts go to their vector at once. Every cell of a row must
 * be written but texts, which are empty until they are.
 */
export class ChunkBuilder {
  /** Staging memory of each fixed-width column: `row * width` is where a cell begins. */
  readonly cells: Uint8Array[]
  readonly words: Uint32Array[]
  /** The row being filled, in the chunk being filled. */
  row = 0
  private readonly types: DuckDBType[]
  private readonly widths: number[]
  private readonly spare: DuckDBDataChunk[] = []
  private full: DuckDBDataChunk[] = []
  private chunk: DuckDBDataChunk
  private vectors: Vector[] = []

  constructor(types: DuckDBType[]) {
    this.types = types
    this.widths = types.map((type) => WIDTHS[type.typeId] ?? 0)
    this.cells = this.widths.map((width) => new Uint8Array(ROWS_PER_CHUNK * width))
    this.words = this.cells.map((cells) => new Uint32Array(cells.buffer, 0, cells.length >> 2))
    this.chunk = this.nextChunk()
  }

  get isEmpty(): boolean {
    return this.row === 0 && this.full.length === 0
  }

  /** Ids are big-endian on the wire and little-endian in the database. */
  putReversed(column: number, source: Uint8Array, offset: number, width: number): void {
    const cells = this.cells[column] as Uint8Array
    let to = this.row * width + width - 1
    for (let i = 0; i < width; i++) cells[to--] = source[offset + i] as number
  }

  /** The database orders UUIDs as signed numbers with the sign turned round. */
  putUuid(column: number, source: Uint8Array, offset: number): void {
    this.putReversed(column, source, offset, 16)
    const cells = this.cells[column] as Uint8Array
    const top = this.row * 16 + 15
    cells[top] = (cells[top] as number) ^ 0x80
  }

  putText(column: number, texts: TextColumn, row: number): void {
    const start = texts.startOf(row)
    const end = texts.endOf(row)
    if (start !== end) this.putBytes(column, texts.bytes.subarray(start, end))
  }

  putBytes(column: number, bytes: Uint8Array): void {
    duckdb.vector_assign_string_element_len(this.vectors[column] as Vector, this.row, bytes)
  }

  endRow(): void {
    if (++this.row === ROWS_PER_CHUNK) this.finishChunk()
  }

  /** Hands over what was collected and begins anew. The chunks come back through `recycle`. */
  take(): DuckDBDataChunk[] {
    if (this.row > 0) this.finishChunk()
    const taken = this.full
    this.full = []
    return taken
  }

  recycle(chunks: DuckDBDataChunk[]): void {
    for (const chunk of chunks.slice(0, Math.max(0, 8 - this.spare.length))) this.spare.push(chunk)
  }

  private finishChunk(): void {
    this.widths.forEach((width, column) => {
      if (width === 0) return
      const cells = this.cells[column] as Uint8Array<ArrayBuffer>
      duckdb.copy_data_to_vector(this.vectors[column] as Vector, 0, cells.buffer, 0, this.row * width)
    })
    this.chunk.rowCount = this.row
    this.full.push(this.chunk)
    this.chunk = this.nextChunk()
    this.row = 0
  }

  private nextChunk(): DuckDBDataChunk {
    const reused = this.spare.pop()
    reused?.reset()
    const chunk = reused ?? DuckDBDataChunk.create(this.types)
    this.vectors = this.types.map((_, column) => duckdb.data_chunk_get_vector(chunk.chunk, column))
    this.widths.forEach((width, column) => {
      if (width === 0)
        duckdb.copy_data_to_vector(this.vectors[column] as Vector, 0, EMPTY_TEXTS, 0, EMPTY_TEXTS.byteLength)
    })
    return chunk
  }
}
