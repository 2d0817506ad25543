/** Sums by key, ascending by it; a key has one row. */
export interface SortedSums {
  keys: Uint32Array
  /** `row * columns` is where the sums of a row begin. */
  values: Float64Array | Int32Array
}

/** Counts take half the room of what may have large sums. */
export type Values = 'counts' | 'sums'

export function emptySums(rows: number, columns: number, values: Values): SortedSums {
  const cells = rows * columns
  return { keys: new Uint32Array(rows), values: values === 'counts' ? new Int32Array(cells) : new Float64Array(cells) }
}

/** Both together, neither of them changed. */
export function addedUp(a: SortedSums, b: SortedSums, columns: number, values: Values): SortedSums {
  const to = emptySums(unionSize(a.keys, b.keys), columns, values)
  let [i, j] = [0, 0]
  for (let row = 0; row < to.keys.length; row++) {
    const keyA = i < a.keys.length ? (a.keys[i] as number) : Number.POSITIVE_INFINITY
    const keyB = j < b.keys.length ? (b.keys[j] as number) : Number.POSITIVE_INFINITY
    to.keys[row] = Math.min(keyA, keyB)
    if (keyA <= keyB) addRow(to, row, a, i++, columns)
    if (keyB <= keyA) addRow(to, row, b, j++, columns)
  }
  return to
}

function addRow(to: SortedSums, row: number, from: SortedSums, fromRow: number, columns: number): void {
  for (let column = 0; column < columns; column++) {
    const at = row * columns + column
    to.values[at] = (to.values[at] as number) + (from.values[fromRow * columns + column] as number)
  }
}

function unionSize(a: Uint32Array, b: Uint32Array): number {
  let [i, j, size] = [0, 0, 0]
  while (i < a.length && j < b.length) {
    const [keyA, keyB] = [a[i] as number, b[j] as number]
    if (keyA <= keyB) i++
    if (keyB <= keyA) j++
    size++
  }
  return size + a.length - i + b.length - j
}
