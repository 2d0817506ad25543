import { type DuckDBDataChunk, type DuckDBType, DuckDBTypeId } from '@duckdb/node-api'
import duckdb, { type Vector } from '@duckdb/node-bindings'

/** Numbers as the database has them in memory. */
type Cells = Uint8Array | Int16Array | Int32Array | Uint32Array | Float64Array
type CellsOf = (buffer: ArrayBufferLike, offset: number, count: number) => Cells

const TWO_TO_32 = 4_294_967_296

/** How wide a number is, and how many in a row are read. Larger ones than a double holds lose their last digits. */
const KINDS: Partial<Record<DuckDBTypeId, { width: number; cells: CellsOf }>> = {
  [DuckDBTypeId.UTINYINT]: { width: 1, cells: (buffer, offset, count) => new Uint8Array(buffer, offset, count) },
  [DuckDBTypeId.BOOLEAN]: { width: 1, cells: (buffer, offset, count) => new Uint8Array(buffer, offset, count) },
  [DuckDBTypeId.SMALLINT]: { width: 2, cells: (buffer, offset, count) => new Int16Array(buffer, offset, count) },
  [DuckDBTypeId.INTEGER]: { width: 4, cells: (buffer, offset, count) => new Int32Array(buffer, offset, count) },
  [DuckDBTypeId.UINTEGER]: { width: 4, cells: (buffer, offset, count) => new Uint32Array(buffer, offset, count) },
  [DuckDBTypeId.DOUBLE]: { width: 8, cells: (buffer, offset, count) => new Float64Array(buffer, offset, count) },
  [DuckDBTypeId.BIGINT]: { width: 8, cells: wholeNumbers },
}

function wholeNumbers(buffer: ArrayBufferLike, offset: number, count: number): Float64Array {
  const [low, high] = [new Uint32Array(buffer, offset, count * 2), new Int32Array(buffer, offset, count * 2)]
  const numbers = new Float64Array(count)
  for (let row = 0; row < count; row++)
    numbers[row] = (high[row * 2 + 1] as number) * TWO_TO_32 + (low[row * 2] as number)
  return numbers
}

/** An answer of numbers, by columns. */
export class NumberColumns {
  rows = 0
  private readonly kinds: { width: number; cells: CellsOf }[]
  private columns: Float64Array[]

  constructor(types: DuckDBType[]) {
    this.kinds = types.map((type) => {
      const kind = KINDS[type.typeId]
      if (!kind) throw new TypeError(`${type} is not read as a number`)
      return kind
    })
    this.columns = types.map(() => new Float64Array(0))
  }

  add(chunk: DuckDBDataChunk): void {
    const count = chunk.rowCount
    this.reserve(this.rows + count)
    this.kinds.forEach(({ width, cells }, i) => {
      const column = this.columns[i] as Float64Array
      const vector = duckdb.data_chunk_get_vector(chunk.chunk, i)
      if (hasNull(vector, count)) throw new TypeError('a number is missing in the answer of the database')
      const { buffer, byteOffset } = duckdb.vector_get_data(vector, count * width)
      column.set(cells(buffer, byteOffset, count), this.rows)
    })
    this.rows += count
  }

  /** A column, as long as there are rows or longer. */
  column(index: number): Float64Array {
    return this.columns[index] as Float64Array
  }

  private reserve(rows: number): void {
    if ((this.columns[0]?.length ?? 0) >= rows) return
    this.columns = this.columns.map((column) => {
      const grown = new Float64Array(Math.max(rows, column.length * 2))
      grown.set(column)
      return grown
    })
  }
}

/** What stands for a null in the database's memory is no number at all. */
function hasNull(vector: Vector, count: number): boolean {
  const validity = duckdb.vector_get_validity(vector, Math.ceil(count / 64) * 8)
  if (!validity) return false
  for (let row = 0; row < count; row++) if ((((validity[row >> 3] as number) >> (row & 7)) & 1) === 0) return true
  return false
}
