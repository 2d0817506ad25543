const INITIAL_BYTES = 64 * 1024
/** As a guess, which decides for how many rows there is room at first. */
const BYTES_PER_ROW = 64
/** Up to this many bytes are copied faster one by one than by a call out of JavaScript. */
const SHORT = 64

/** Strings of many rows as UTF-8 in one buffer. An empty string and no string are the same. Grows as needed; `clear` keeps the memory. */
export class TextColumn {
  bytes: Uint8Array
  /** Of the same memory as `bytes`, to write it by fours. */
  view: DataView
  /** The end of row i in `bytes`; it starts where row i - 1 ends. */
  ends: Uint32Array
  length = 0
  byteLength = 0

  constructor(initialBytes = INITIAL_BYTES) {
    this.bytes = new Uint8Array(initialBytes)
    this.view = new DataView(this.bytes.buffer)
    this.ends = new Uint32Array(initialBytes / BYTES_PER_ROW)
  }

  /** Makes room for `count` more bytes; the caller writes them at `byteLength`, advances it and calls `endRow`. */
  reserve(count: number): void {
    const needed = this.byteLength + count
    if (needed <= this.bytes.length) return
    const grown = new Uint8Array(Math.max(needed, this.bytes.length * 2))
    grown.set(this.bytes.subarray(0, this.byteLength))
    this.bytes = grown
    this.view = new DataView(grown.buffer)
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
    if (count > SHORT) this.bytes.set(source.subarray(start, end), this.byteLength)
    else for (let i = 0; i < count; i++) this.bytes[this.byteLength + i] = source[start + i] as number
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
