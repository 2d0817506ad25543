/**
 * Changes to a message in protobuf, noted from its beginning to its end. Where something inside a field becomes longer or shorter,
 * so do the lengths of all that it lies in.
 */
export class Edits {
  private readonly starts: number[] = []
  private readonly ends: number[] = []
  private readonly contents: Uint8Array[] = []
  private addedBytes = 0
  private readonly addedBefore: number[] = []

  get any(): boolean {
    return this.starts.length > 0
  }

  replace(start: number, end: number, content: Uint8Array): void {
    this.starts.push(start)
    this.ends.push(end)
    this.contents.push(content)
    this.addedBytes += content.length - (end - start)
  }

  /** A field is gone into whose length stands between these places. */
  enter(lengthStart: number, lengthEnd: number): void {
    this.addedBefore.push(this.addedBytes)
    this.replace(lengthStart, lengthEnd, NOTHING)
    this.addedBytes += lengthEnd - lengthStart
  }

  /** The field that was gone into last ends. `mark` is how many edits there were when it was entered. */
  leave(mark: number, fieldBytes: number): void {
    const before = this.addedBefore.pop() as number
    if (this.starts.length === mark + 1) {
      this.starts.pop()
      this.ends.pop()
      this.contents.pop()
      return
    }
    const length = varintOf(fieldBytes + this.addedBytes - before)
    this.contents[mark] = length
    this.addedBytes += length.length - ((this.ends[mark] as number) - (this.starts[mark] as number))
  }

  get count(): number {
    return this.starts.length
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
}

const NOTHING = new Uint8Array(0)

function varintOf(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  return Uint8Array.of(...bytes, rest)
}
