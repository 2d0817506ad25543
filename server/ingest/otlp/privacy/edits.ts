/** Fields that lie in each other: those of a request, and three for each of the values in values that are kept. */
const DEPTH_MAX = 128
const NOTHING = new Uint8Array(0)

/**
 * Changes to a message in protobuf, noted from its beginning to its end. Where something inside a field becomes longer or shorter,
 * so do the lengths of all that it lies in. A field in which nothing changes costs nothing but being entered and left.
 */
export class Edits {
  private readonly starts: number[] = []
  private readonly ends: number[] = []
  private readonly contents: Uint8Array[] = []
  private addedBytes = 0
  /** How many fields we are in, and the lengths of how many of them are among the changes. */
  private depth = 0
  private noted = 0
  private readonly lengthStarts = new Int32Array(DEPTH_MAX)
  private readonly fieldStarts = new Int32Array(DEPTH_MAX)
  private readonly fieldEnds = new Int32Array(DEPTH_MAX)
  /** Of each noted length: which change it is, and what had been added before it. */
  private readonly changes = new Int32Array(DEPTH_MAX)
  private readonly addedBefore = new Int32Array(DEPTH_MAX)

  get any(): boolean {
    return this.starts.length > 0
  }

  enter(lengthStart: number, fieldStart: number, fieldEnd: number): void {
    const { depth } = this
    this.lengthStarts[depth] = lengthStart
    this.fieldStarts[depth] = fieldStart
    this.fieldEnds[depth] = fieldEnd
    this.depth = depth + 1
  }

  leave(): void {
    const depth = --this.depth
    if (this.noted <= depth) return
    this.noted = depth
    const fieldStart = this.fieldStarts[depth] as number
    const added = this.addedBytes - (this.addedBefore[depth] as number)
    const length = varintOf((this.fieldEnds[depth] as number) - fieldStart + added)
    this.contents[this.changes[depth] as number] = length
    this.addedBytes += length.length - (fieldStart - (this.lengthStarts[depth] as number))
  }

  replace(start: number, end: number, content: Uint8Array): void {
    for (; this.noted < this.depth; this.noted++) {
      this.changes[this.noted] = this.starts.length
      this.addedBefore[this.noted] = this.addedBytes
      this.note(this.lengthStarts[this.noted] as number, this.fieldStarts[this.noted] as number, NOTHING)
    }
    this.note(start, end, content)
    this.addedBytes += content.length - (end - start)
  }

  appliedTo(bytes: Uint8Array): Uint8Array {
    const changed = new Uint8Array(bytes.length + this.addedBytes)
    let from = 0
    let to = 0
    for (let i = 0; i < this.starts.length; i++) {
      const start = this.starts[i] as number
      const content = this.contents[i] as Uint8Array
      changed.set(bytes.subarray(from, start), to)
      to += start - from
      changed.set(content, to)
      to += content.length
      from = this.ends[i] as number
    }
    changed.set(bytes.subarray(from), to)
    return changed
  }

  private note(start: number, end: number, content: Uint8Array): void {
    this.starts.push(start)
    this.ends.push(end)
    this.contents.push(content)
  }
}

function varintOf(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return Uint8Array.of(...bytes, rest)
}
