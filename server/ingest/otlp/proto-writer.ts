import { BYTES, tagOf } from './wire-reader.ts'

/** A length is written before it is known, so it always takes this many bytes. */
const LENGTH_BYTES = 5

/** Writes protobuf's wire format. */
export class ProtoWriter {
  private bytes = new Uint8Array(256)
  private view = new DataView(this.bytes.buffer)
  private at = 0

  tag(field: number, wireType: number): void {
    this.varint(tagOf(field, wireType))
  }

  /** An integer from 0 to 2^53 - 1. */
  varint(value: number): void {
    this.reserve(10)
    let rest = value
    while (rest >= 0x80) {
      this.bytes[this.at++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.bytes[this.at++] = rest
  }

  /** A signed or unsigned 64-bit integer. */
  varint64(value: bigint): void {
    this.reserve(10)
    let rest = BigInt.asUintN(64, value)
    while (rest >= 0x80n) {
      this.bytes[this.at++] = Number(rest & 0x7fn) | 0x80
      rest >>= 7n
    }
    this.bytes[this.at++] = Number(rest)
  }

  fixed32(value: number): void {
    this.reserve(4)
    this.view.setUint32(this.at, value, true)
    this.at += 4
  }

  fixed64(value: bigint): void {
    this.reserve(8)
    this.view.setBigUint64(this.at, BigInt.asUintN(64, value), true)
    this.at += 8
  }

  double(value: number): void {
    this.reserve(8)
    this.view.setFloat64(this.at, value, true)
    this.at += 8
  }

  blob(value: Uint8Array): void {
    this.varint(value.length)
    this.reserve(value.length)
    this.bytes.set(value, this.at)
    this.at += value.length
  }

  /** Unpaired surrogates become U+FFFD. */
  string(value: string): void {
    const start = this.open()
    this.reserve(value.length * 3)
    this.at += encoder.encodeInto(value, this.bytes.subarray(this.at)).written
    this.close(start)
  }

  /** A field with a message in it, which `write` writes. */
  message(field: number, write: () => void): void {
    this.tag(field, BYTES)
    const start = this.open()
    write()
    this.close(start)
  }

  finish(): Uint8Array {
    return this.bytes.subarray(0, this.at)
  }

  private open(): number {
    this.reserve(LENGTH_BYTES)
    this.at += LENGTH_BYTES
    return this.at
  }

  private close(start: number): void {
    let length = this.at - start
    for (let i = start - LENGTH_BYTES; i < start - 1; i++) {
      this.bytes[i] = (length & 0x7f) | 0x80
      length >>>= 7
    }
    this.bytes[start - 1] = length
  }

  private reserve(count: number): void {
    if (this.at + count <= this.bytes.length) return
    const grown = new Uint8Array(Math.max(this.at + count, this.bytes.length * 2))
    grown.set(this.bytes)
    this.bytes = grown
    this.view = new DataView(grown.buffer)
  }
}

const encoder = new TextEncoder()
