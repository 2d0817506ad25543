import { type DuckDBDataChunk, type DuckDBType, DuckDBTypeId } from '@duckdb/node-api'
import duckdb, { type Vector } from '@duckdb/node-bindings'

type Read = (bytes: Uint8Array, row: number) => number

const TWO_TO_32 = 4_294_967_296

/** How wide a number is, and how it is read. Larger ones than a double holds lose their last digits. */
const KINDS: Partial<Record<DuckDBTypeId, { width: number; read: Read }>> = {
  [DuckDBTypeId.UTINYINT]: { width: 1, read: (bytes, row) => bytes[row] as number },
  [DuckDBTypeId.BOOLEAN]: { width: 1, read: (bytes, row) => bytes[row] as number },
  [DuckDBTypeId.SMALLINT]: { width: 2, read: (bytes, row) => view(bytes).getInt16(row * 2, true) },
  [DuckDBTypeId.INTEGER]: { width: 4, read: (bytes, row) => view(bytes).getInt32(row * 4, true) },
  [DuckDBTypeId.UINTEGER]: { width: 4, read: (bytes, row) => view(bytes).getUint32(row * 4, true) },
  [DuckDBTypeId.DOUBLE]: { width: 8, read: (bytes, row) => view(bytes).getFloat64(row * 8, true) },
  [DuckDBTypeId.BIGINT]: {
    width: 8,
    read: (bytes, row) => view(bytes).getInt32(row * 8 + 4, true) * TWO_TO_32 + view(bytes).getUint32(row * 8, true),
  },
}

/** An answer of numbers, by columns. */
export class NumberColumns {
  rows = 0
  private readonly kinds: { width: number; read: Read }[]
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
    this.kinds.forEach(({ width, read }, i) => {
      const column = this.columns[i] as Float64Array
      const vector = duckdb.data_chunk_get_vector(chunk.chunk, i)
      if (hasNull(vector, count)) throw new TypeError('a number is missing in the answer of the database')
      const bytes = duckdb.vector_get_data(vector, count * width)
      for (let row = 0; row < count; row++) column[this.rows + row] = read(bytes, row)
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

let viewed: { bytes: Uint8Array; view: DataView } | undefined

function view(bytes: Uint8Array): DataView {
  if (viewed?.bytes !== bytes) viewed = { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) }
  return viewed.view
}
