import { DuckDBDataChunk, type DuckDBType, DuckDBTypeId } from '@duckdb/node-api'
import duckdb from '@duckdb/node-bindings'
import type { TextColumn } from '../../../domain/columns/text-column.ts'
import { StagedTexts } from './staged-texts.ts'

const ROWS_PER_CHUNK = 2048
const SPARE_MAX = 8

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
 * Collects rows into the database's own vectors, which is several times faster than appending values. Cells are staged in plain
 * memory and copied when the chunk is full. Every cell of a row must be written but texts, which are empty until they are.
 */
export class ChunkBuilder {
  /** Staging memory of each fixed-width column: `row * width` is where a cell begins. */
  readonly cells: Uint8Array[]
  readonly words: Uint32Array[]
  /** The row being filled, in the chunk being filled. */
  row = 0
  private readonly types: DuckDBType[]
  private readonly widths: number[]
  private readonly texts: (StagedTexts | undefined)[]
  private readonly spare: DuckDBDataChunk[] = []
  private full: DuckDBDataChunk[] = []

  constructor(types: DuckDBType[]) {
    this.types = types
    this.widths = types.map((type) => WIDTHS[type.typeId] ?? 0)
    this.cells = this.widths.map((width) => new Uint8Array(ROWS_PER_CHUNK * width))
    this.words = this.cells.map((cells) => new Uint32Array(cells.buffer, 0, cells.length >> 2))
    this.texts = this.widths.map((width) => (width === 0 ? new StagedTexts(ROWS_PER_CHUNK) : undefined))
  }

  get isEmpty(): boolean {
    return this.row === 0 && this.full.length === 0
  }

  /** How many rows the chunk being filled still takes. Never none. */
  get room(): number {
    return ROWS_PER_CHUNK - this.row
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

  putBytes(column: number, bytes: Uint8Array): void {
    this.texts[column]?.put(this.row, bytes)
  }

  /** Texts of this row and those behind it. */
  putTexts(column: number, texts: TextColumn, first: number, count: number): void {
    this.texts[column]?.putRows(this.row, texts, first, count)
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
    for (const chunk of chunks.slice(0, Math.max(0, SPARE_MAX - this.spare.length))) this.spare.push(chunk)
  }

  private finishChunk(): void {
    const { row } = this
    const chunk = this.nextChunk()
    this.widths.forEach((width, column) => {
      const vector = duckdb.data_chunk_get_vector(chunk.chunk, column)
      const { buffer } = this.cells[column] as Uint8Array<ArrayBuffer>
      if (width > 0) duckdb.copy_data_to_vector(vector, 0, buffer, 0, row * width)
      else this.texts[column]?.finish(vector, row)
    })
    chunk.rowCount = row
    this.full.push(chunk)
    this.row = 0
  }

  private nextChunk(): DuckDBDataChunk {
    const reused = this.spare.pop()
    reused?.reset()
    return reused ?? DuckDBDataChunk.create(this.types)
  }
}
