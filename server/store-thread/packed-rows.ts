/** Fewer rows than this travel as they are. */
const PACKED_ROWS_MIN = 64

type Row = Record<string, unknown>

/** The values of one field in many rows. */
type Column =
  | { kind: 'same'; value: unknown }
  | { kind: 'numbers'; values: Float64Array }
  | { kind: 'bigints'; values: BigInt64Array }
  | { kind: 'texts'; texts: string[]; indexes: Uint32Array }
  | { kind: 'rows'; rows: Packed }
  /** The items of all lists, and how many each of them has; none for what is undefined. */
  | { kind: 'lists'; lengths: Int32Array; items: Column }
  | { kind: 'plain'; values: unknown[] }

/** Rows as columns: between threads, many objects cost several times what their content does. */
interface Packed {
  packedRows: number
  columns: [field: string, column: Column][]
}

const UNDEFINED = -1

/** Packs an answer that is an array of rows, or has some. Everything else stays as it is. */
export function pack(answer: unknown): unknown {
  if (Array.isArray(answer)) return packedOf(answer) ?? answer
  return isPlain(answer) ? mapped(answer, (value) => (Array.isArray(value) && packedOf(value)) || value) : answer
}

export function unpack(answer: unknown): unknown {
  if (isPacked(answer)) return rowsOf(answer)
  return isPlain(answer) ? mapped(answer, (value) => (isPacked(value) ? rowsOf(value) : value)) : answer
}

function mapped(answer: Row, change: (value: unknown) => unknown): Row {
  return Object.fromEntries(Object.entries(answer).map(([field, value]) => [field, change(value)]))
}

function packedOf(rows: unknown[]): Packed | undefined {
  const [first] = rows
  if (rows.length < PACKED_ROWS_MIN || !isPlain(first)) return undefined
  const fields = Object.keys(first)
  const isAlike = (row: unknown) => isPlain(row) && isSame(Object.keys(row), fields)
  // Rows that lack a field must go on lacking it.
  if (!rows.every(isAlike)) return undefined
  const columns: unknown[][] = fields.map(() => new Array(rows.length))
  for (let i = 0; i < rows.length; i++) {
    const values = Object.values(rows[i] as Row)
    for (let field = 0; field < fields.length; field++) (columns[field] as unknown[])[i] = values[field]
  }
  return {
    packedRows: rows.length,
    columns: fields.map((field, i): [string, Column] => [field, columnOf(columns[i] as unknown[])]),
  }
}

function isSame(a: string[], b: string[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

function columnOf(values: unknown[]): Column {
  const [first] = values
  if (values.every((value) => value === first)) return { kind: 'same', value: first }
  if (values.every((value) => typeof value === 'number')) return { kind: 'numbers', values: Float64Array.from(values) }
  if (values.every((value) => typeof value === 'string')) return textsOf(values)
  if (values.every((value) => typeof value === 'bigint' && BigInt.asIntN(64, value) === value))
    return { kind: 'bigints', values: BigInt64Array.from(values as bigint[]) }
  if (values.every((value) => value === undefined || Array.isArray(value))) return listsOf(values)
  const rows = packedOf(values)
  return rows ? { kind: 'rows', rows } : { kind: 'plain', values }
}

function textsOf(values: string[]): Column {
  const numbers = new Map<string, number>()
  const indexes = Uint32Array.from(values, (text) => {
    const known = numbers.get(text)
    if (known !== undefined) return known
    numbers.set(text, numbers.size)
    return numbers.size - 1
  })
  return { kind: 'texts', texts: [...numbers.keys()], indexes }
}

function listsOf(lists: (unknown[] | undefined)[]): Column {
  const items: unknown[] = []
  for (const list of lists) if (list) for (const item of list) items.push(item)
  return {
    kind: 'lists',
    lengths: Int32Array.from(lists, (list) => list?.length ?? UNDEFINED),
    items: columnOf(items),
  }
}

function rowsOf({ packedRows, columns }: Packed): Row[] {
  // Copies of an object that has all fields are made faster than objects that get one field after another.
  const row: Row = Object.fromEntries(columns.map(([field]) => [field, undefined]))
  const rows: Row[] = Array.from({ length: packedRows }, () => ({ ...row }))
  for (const [field, column] of columns) {
    const values = valuesOf(column, packedRows)
    for (let i = 0; i < packedRows; i++) (rows[i] as Row)[field] = values[i]
  }
  return rows
}

function valuesOf(column: Column, rows: number): ArrayLike<unknown> {
  switch (column.kind) {
    case 'same':
      return new Array(rows).fill(column.value)
    case 'texts':
      return Array.from(column.indexes, (index) => column.texts[index])
    case 'rows':
      return rowsOf(column.rows)
    case 'lists':
      return listsFrom(column.lengths, column.items)
    default:
      return column.values
  }
}

function listsFrom(lengths: Int32Array, column: Column): unknown[] {
  const count = lengths.reduce((sum, length) => sum + Math.max(0, length), 0)
  const items = Array.from(valuesOf(column, count))
  let end = 0
  return Array.from(lengths, (length) => {
    if (length === UNDEFINED) return undefined
    end += length
    return items.slice(end - length, end)
  })
}

function isPlain(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

function isPacked(value: unknown): value is Packed {
  return isPlain(value) && 'packedRows' in value
}
