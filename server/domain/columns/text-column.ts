const INITIAL_ROWS = 1024
const INITIAL_BYTES = 64 * 1024

/** Strings of many rows as UTF-8 in one buffer. An empty string and no string are the same. Grows as needed; `clear` keeps the memory. */
export class TextColumn {
  bytes = new Uint8Array(INITIAL_BYTES)
  /** The end of row i in `bytes`; it starts where row i - 1 ends. */
  ends = new Uint32Array(INITIAL_ROWS)
  length = 0
  byteLength = 0

  /** Makes room for `count` more bytes; the caller writes them at `byteLength`, advances it and calls `endRow`. */
  reserve(count: number): void {
    const needed = this.byteLength + count
    if (needed <= this.bytes.length) return
    const grown = new Uint8Array(Math.max(needed, this.bytes.length * 2))
    grown.set(this.bytes.subarray(0, this.byteLength))
    this.bytes = grown
  }

  endRow(): void {
    if (this.length === this.ends.length) {
      const grown = new Uint32Array(this.ends.length * 2)
      grown.set(this.ends)
      this.ends = grown
    }
    this.ends[this.length++] = this.byteLength
  }

  pushBytes(source: Uint8Array, start: number, end: number): void {
    const count = end - start
    this.reserve(count)
    this.bytes.set(source.subarray(start, end), this.byteLength)
    this.byteLength += count
    this.endRow()
  }

  pushEmpty(): void {
    this.endRow()
  }

  startOf(row: number): number {
    return row === 0 ? 0 : (this.ends[row - 1] as number)
  }

  endOf(row: number): number {
    return this.ends[row] as number
  }

  textOf(row: number): string {
    return Buffer.from(this.bytes.buffer, this.startOf(row), this.endOf(row) - this.startOf(row)).toString('utf8')
  }

  /** Forgets the rows from `length` on: a record that turned out to be unacceptable leaves nothing behind. */
  truncate(length: number): void {
    this.byteLength = length === 0 ? 0 : this.endOf(length - 1)
    this.length = length
  }

  clear(): void {
    this.truncate(0)
  }
}
