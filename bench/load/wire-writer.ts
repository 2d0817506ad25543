/** What stands in a place of a message that is filled anew each time the message is sent; all of a fixed width. */
export type Blank =
  | { at: number; kind: 'hex' | 'digits' | 'user'; length: number }
  | { at: number; kind: 'varint3' }
  | { at: number; kind: 'traceId' | 'spanId' | 'parentId' | 'startNs' | 'endNs' | 'eventNs' }

export type TextBlank = 'hex' | 'digits' | 'user'

/** Any number with three bytes as a varint: what `varint3` blanks are filled with. */
export const VARINT3_MIN = 1 << 14
export const VARINT3_COUNT = (1 << 21) - VARINT3_MIN

const VARINT = 0
const FIXED64 = 1
const BYTES = 2

/** Writes a protobuf message and remembers where its blanks are. */
export class WireWriter {
  readonly blanks: Blank[] = []
  private bytes = Buffer.allocUnsafe(512)
  private at = 0

  get length(): number {
    return this.at
  }

  message(field: number, inner: WireWriter): this {
    this.varint((field << 3) | BYTES).varint(inner.at)
    for (const blank of inner.blanks) this.blanks.push({ ...blank, at: blank.at + this.at })
    this.reserve(inner.at)
    inner.bytes.copy(this.bytes, this.at, 0, inner.at)
    this.at += inner.at
    return this
  }

  string(field: number, text: string): this {
    return this.varint((field << 3) | BYTES)
      .varint(Buffer.byteLength(text))
      .raw(text)
  }

  /** A text whose parts like `{hex 8}`, `{digits 4}` and `{user 6}` are blanks of that many characters. */
  template(field: number, text: string): this {
    const inner = new WireWriter()
    for (const part of text.split(/(\{(?:hex|digits|user) \d+\})/)) {
      const [, kind, length] = /^\{(\w+) (\d+)\}$/.exec(part) ?? []
      if (kind === undefined) inner.raw(part)
      else inner.textBlank(kind as TextBlank, Number(length))
    }
    return this.message(field, inner)
  }

  integer(field: number, value: number): this {
    return this.varint((field << 3) | VARINT).varint(value)
  }

  anyInteger(field: number): this {
    this.varint((field << 3) | VARINT)
    this.blanks.push({ at: this.at, kind: 'varint3' })
    return this.varint(VARINT3_MIN)
  }

  id(field: number, kind: 'traceId' | 'spanId' | 'parentId'): this {
    const width = kind === 'traceId' ? 16 : 8
    this.varint((field << 3) | BYTES).varint(width)
    this.blanks.push({ at: this.at, kind })
    return this.zeroes(width)
  }

  time(field: number, kind: 'startNs' | 'endNs' | 'eventNs'): this {
    this.varint((field << 3) | FIXED64)
    this.blanks.push({ at: this.at, kind })
    return this.zeroes(8)
  }

  finish(): Buffer {
    return Buffer.from(this.bytes.subarray(0, this.at))
  }

  private varint(value: number): this {
    this.reserve(5)
    let rest = value
    while (rest >= 0x80) {
      this.bytes[this.at++] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    this.bytes[this.at++] = rest
    return this
  }

  private raw(text: string): this {
    this.reserve(text.length * 3)
    this.at += this.bytes.write(text, this.at)
    return this
  }

  private textBlank(kind: TextBlank, length: number): void {
    this.blanks.push({ at: this.at, kind, length })
    this.raw('0'.repeat(length))
  }

  private zeroes(count: number): this {
    this.reserve(count)
    this.bytes.fill(0, this.at, this.at + count)
    this.at += count
    return this
  }

  private reserve(count: number): void {
    if (this.at + count <= this.bytes.length) return
    const grown = Buffer.allocUnsafe(Math.max(this.at + count, this.bytes.length * 2))
    this.bytes.copy(grown, 0, 0, this.at)
    this.bytes = grown
  }
}
