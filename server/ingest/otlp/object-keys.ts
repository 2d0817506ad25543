import type { TextColumn } from '../../domain/columns/text-column.ts'

/** The keys of the JSON objects that are being written, one inside the other, to tell which key comes a second time. */
export class ObjectKeys {
  private hashes = new Int32Array(512)
  private starts = new Int32Array(512)
  private ends = new Int32Array(512)
  private base = 0
  private top = 0

  /** How many keys the innermost object has. */
  get count(): number {
    return this.top - this.base
  }

  /** Begins an object inside the present one; the answer is for `close`. */
  open(): number {
    const outer = this.base
    this.base = this.top
    return outer
  }

  close(outer: number): void {
    this.top = this.base
    this.base = outer
  }

  /** Adds the key that was written at `start` to `end` of the column; false where the object has it already. */
  add(column: TextColumn, start: number, end: number, hash: number): boolean {
    const hashes = this.hashes
    for (let i = this.base; i < this.top; i++) {
      if (hashes[i] === hash && this.isAt(i, column.bytes, start, end)) return false
    }
    if (this.top === hashes.length) this.grow()
    this.hashes[this.top] = hash
    this.starts[this.top] = start
    this.ends[this.top++] = end
    return true
  }

  private isAt(i: number, bytes: Uint8Array, start: number, end: number): boolean {
    const other = this.starts[i] as number
    if ((this.ends[i] as number) - other !== end - start) return false
    for (let k = start; k < end; k++) if (bytes[k] !== bytes[other + k - start]) return false
    return true
  }

  private grow(): void {
    this.hashes = doubled(this.hashes)
    this.starts = doubled(this.starts)
    this.ends = doubled(this.ends)
  }
}

function doubled(old: Int32Array): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(old.length * 2)
  grown.set(old)
  return grown
}
