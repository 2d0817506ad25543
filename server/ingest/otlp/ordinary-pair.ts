import { BOOL_VALUE, INT_VALUE, STRING_VALUE } from './any-value.ts'
import { BYTES, tagOf, type WireReader } from './wire-reader.ts'

const KEY = tagOf(1, BYTES)
const VALUE = tagOf(2, BYTES)
/** A length, a key of one byte and a value of two, each behind its own tag and length. */
const PAIR_BYTES_MIN = 8
const VALUE_BYTES_MIN = 2
/** 28 bits: larger numbers are rare, and negative ones have ten bytes. */
const NUMBER_BYTES_MAX = 4

/**
 * The KeyValue that nearly all are: a key of less than 128 bytes, then a value that is one text of less than 16 KiB, one
 * small number or one truth, and nothing else.
 */
export class OrdinaryPair {
  keyStart = 0
  keyEnd = 0
  /** `STRING_VALUE`, `INT_VALUE` or `BOOL_VALUE`. */
  tag = 0
  /** Where a text begins. It ends where the pair does. */
  valueStart = 0
  /** What another value is. */
  number = 0
  end = 0

  /** Reads the KeyValue at the reader's `pos`, length and all. Never throws; false where it is any other, or malformed. */
  read(reader: WireReader): boolean {
    const { bytes, pos } = reader
    if (pos + PAIR_BYTES_MIN > reader.end) return false
    const length = lengthAt(bytes, pos)
    const keyTag = afterLength(pos, length)
    const end = keyTag + length
    if (end > reader.end || bytes[keyTag] !== KEY) return false
    const keyLength = bytes[keyTag + 1] as number
    const keyEnd = keyTag + 2 + keyLength
    if (keyLength >= 0x80 || keyEnd + 2 + VALUE_BYTES_MIN > end || bytes[keyEnd] !== VALUE) return false
    const valueLength = lengthAt(bytes, keyEnd + 1)
    const valueTag = afterLength(keyEnd + 1, valueLength)
    if (valueLength < VALUE_BYTES_MIN || valueTag + valueLength !== end) return false
    this.keyStart = keyTag + 2
    this.keyEnd = keyEnd
    this.end = end
    return this.readValue(bytes, valueTag)
  }

  private readValue(bytes: Uint8Array, start: number): boolean {
    const tag = bytes[start] as number
    this.tag = tag
    if (tag === STRING_VALUE) {
      const length = lengthAt(bytes, start + 1)
      this.valueStart = afterLength(start + 1, length)
      return this.valueStart + length === this.end
    }
    return (tag === INT_VALUE || tag === BOOL_VALUE) && this.readNumber(bytes, start + 1)
  }

  private readNumber(bytes: Uint8Array, start: number): boolean {
    const last = this.end - 1
    if (this.end - start > NUMBER_BYTES_MAX) return false
    let number = 0
    for (let i = start; i < last; i++) {
      const byte = bytes[i] as number
      if (byte < 0x80) return false
      number |= (byte & 0x7f) << ((i - start) * 7)
    }
    const byte = bytes[last] as number
    this.number = number | (byte << ((last - start) * 7))
    return byte < 0x80
  }
}

/** The length that stands here, in its shortest form of one or two bytes; less than 0 for any other. */
function lengthAt(bytes: Uint8Array, pos: number): number {
  const first = bytes[pos] as number
  if (first < 0x80) return first
  const second = bytes[pos + 1] as number
  return second > 0 && second < 0x80 ? (first & 0x7f) | (second << 7) : -1
}

function afterLength(pos: number, length: number): number {
  return length < 0x80 ? pos + 1 : pos + 2
}
