const FIRST_BYTES = 16 * 1024
const FIRST_TEXTS = 1024
/** A character takes no more bytes than this. */
const BYTES_PER_UNIT_MAX = 3

/** Many short texts, one behind the other: as objects they would take several times the room. */
export class TextList {
  private bytes = Buffer.allocUnsafe(FIRST_BYTES)
  private ends = new Uint32Array(FIRST_TEXTS)
  private count = 0

  get byteLength(): number {
    return this.bytes.byteLength + this.ends.byteLength
  }

  push(text: string): void {
    const start = this.startOf(this.count)
    const room = start + text.length * BYTES_PER_UNIT_MAX
    if (room > this.bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(room, this.bytes.length * 2))
      this.bytes.copy(grown)
      this.bytes = grown
    }
    if (this.count === this.ends.length) {
      const grown = new Uint32Array(this.count * 2)
      grown.set(this.ends)
      this.ends = grown
    }
    this.ends[this.count++] = start + this.bytes.write(text, start)
  }

  at(index: number): string {
    return this.bytes.toString('utf8', this.startOf(index), this.ends[index])
  }

  private startOf(index: number): number {
    return index === 0 ? 0 : (this.ends[index - 1] as number)
  }
}
