import { MalformedRequest } from '../ingest.ts'

export const VARINT = 0
export const FIXED64 = 1
export const BYTES = 2
const GROUP_START = 3
const GROUP_END = 4
export const FIXED32 = 5

const GROUP_DEPTH_MAX = 100
const INT32_MAX = 0x7fff_ffff

/** A message's name and the fields that are read from it; every other field is skipped. */
export interface MessageShape {
  name: string
  fields: Readonly<Record<number, string>>
}

/** The tag of a field as it stands on the wire. */
export function tagOf(field: number, wireType: number): number {
  return (field << 3) | wireType
}

/**
 * Reads protobuf's wire format. Places, lengths and tags are integers of 32 bits at every moment: with a single larger
 * number the engine would calculate all of them in floating point. Nothing is read beyond `end`, which is the end of the message that was entered last.
 * Whatever is not well-formed throws a `MalformedRequest`.
 */
export class WireReader {
  readonly bytes: Uint8Array
  /** Of the same bytes, to read them by fours. */
  readonly view: DataView
  readonly request: string
  pos = 0
  end: number
  /** The halves of the 64-bit number that was read last, both unsigned. */
  lo = 0
  hi = 0

  constructor(bytes: Uint8Array, request: string) {
    // A Buffer would make every access to `bytes` polymorphic.
    this.bytes =
      bytes.constructor === Uint8Array ? bytes : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.request = request
    this.end = bytes.length
  }

  /** The next field's tag, 0 at the end of the message; less than 0 for the highest field numbers. */
  tag(): number {
    const pos = this.pos
    if (pos >= this.end) return 0
    const tag = this.bytes[pos] as number
    if (tag < 8 || tag >= 0x80) return this.longTag()
    this.pos = pos + 1
    return tag
  }

  private longTag(): number {
    this.varint()
    if (this.hi !== 0 || this.lo < 8) this.fail('a field has a number that no field can have')
    return this.lo | 0
  }

  /** Reads the length of a field and returns where the field ends; `pos` is then where it starts. */
  fieldEnd(): number {
    const pos = this.pos
    let length = pos < this.end ? (this.bytes[pos] as number) : 0x80
    if (length < 0x80) this.pos = pos + 1
    else length = this.longLength()
    if (length > this.end - this.pos) this.fail('a length goes beyond the end of its message')
    return this.pos + length
  }

  private longLength(): number {
    this.varint()
    return this.hi === 0 && this.lo <= INT32_MAX ? this.lo | 0 : INT32_MAX
  }

  /** Goes into a message; the answer is to be put back into `end` when its fields have been read. */
  enter(): number {
    const end = this.fieldEnd()
    const outer = this.end
    this.end = end
    return outer
  }

  /** Reads up to 64 bits into `lo` and `hi`; what a 10th byte holds beyond them is ignored. */
  varint(): void {
    let lo = 0
    let hi = 0
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.pos >= this.end) this.fail('a number is cut off')
      const byte = this.bytes[this.pos++] as number
      const bits = byte & 0x7f
      if (shift < 28) lo |= bits << shift
      else if (shift === 28) {
        lo |= bits << 28
        hi = bits >>> 4
      } else hi |= bits << (shift - 32)
      if (byte < 0x80) {
        this.lo = lo >>> 0
        this.hi = hi >>> 0
        return
      }
    }
    this.fail('a number has more than 10 bytes')
  }

  /** The low 32 bits of a varint, unsigned. */
  uint32(): number {
    const pos = this.pos
    if (pos < this.end) {
      const byte = this.bytes[pos] as number
      if (byte < 0x80) {
        this.pos = pos + 1
        return byte
      }
    }
    this.varint()
    return this.lo
  }

  bool(): boolean {
    this.varint()
    return (this.lo | this.hi) !== 0
  }

  /** An enum's number, 0 for one above `max` that nobody here knows. */
  enumCode(max: number): number {
    this.varint()
    return this.hi === 0 && this.lo <= max ? this.lo : 0
  }

  sint32(): number {
    const value = this.uint32()
    return (value >>> 1) ^ -(value & 1)
  }

  /** A varint as a number, inexact beyond 2^53. */
  uint64(): number {
    this.varint()
    return this.hi * 0x1_0000_0000 + this.lo
  }

  fixed32(): number {
    const pos = this.take(4)
    return this.word(pos)
  }

  fixed64(): void {
    const pos = this.take(8)
    this.lo = this.word(pos)
    this.hi = this.word(pos + 4)
  }

  double(): number {
    this.fixed64()
    halves[0] = this.lo
    halves[1] = this.hi
    return double[0] as number
  }

  /** Passes over a field of `shape` that nobody reads; refuses one that should have been of another wire type. */
  skip(tag: number, shape: MessageShape): void {
    const name = shape.fields[tag >>> 3]
    if (name !== undefined) this.fail(`${shape.name}.${name} has the wrong wire type ${tag & 7}`)
    this.skipField(tag)
  }

  /** Passes over a field of any kind. */
  skipField(tag: number): void {
    switch (tag & 7) {
      case VARINT:
        this.varint()
        return
      case FIXED64:
        this.take(8)
        return
      case BYTES:
        this.pos = this.fieldEnd()
        return
      case GROUP_START:
        this.skipGroup(tag >>> 3)
        return
      case FIXED32:
        this.take(4)
        return
      default:
        this.fail(`a field has the wire type ${tag & 7}`)
    }
  }

  private skipGroup(field: number): void {
    const open = [field]
    while (open.length > 0) {
      const tag = this.tag()
      if (tag === 0) this.fail('a group does not end')
      if ((tag & 7) === GROUP_START) {
        if (open.push(tag >>> 3) > GROUP_DEPTH_MAX) this.fail(`groups are nested deeper than ${GROUP_DEPTH_MAX}`)
      } else if ((tag & 7) === GROUP_END) {
        if (open.pop() !== tag >>> 3) this.fail('a group ends that did not begin')
      } else this.skipField(tag)
    }
  }

  fail(what: string): never {
    throw new MalformedRequest(`${this.request}, byte ${this.pos}: ${what}`)
  }

  private take(count: number): number {
    const pos = this.pos
    if (pos + count > this.end) this.fail('a number is cut off')
    this.pos = pos + count
    return pos
  }

  private word(pos: number): number {
    const bytes = this.bytes
    return (
      ((bytes[pos] as number) |
        ((bytes[pos + 1] as number) << 8) |
        ((bytes[pos + 2] as number) << 16) |
        ((bytes[pos + 3] as number) << 24)) >>>
      0
    )
  }
}

const double = new Float64Array(1)
const halves = new Uint32Array(double.buffer)
