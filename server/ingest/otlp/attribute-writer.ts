import type { TextColumn } from '../../domain/columns/text-column.ts'
import {
  ARRAY_VALUE,
  BOOL_VALUE,
  BYTES_VALUE,
  DOUBLE_VALUE,
  findValue,
  INT_VALUE,
  isValueTag,
  joined,
  STRING_VALUE,
} from './any-value.ts'
import { writeDouble, writeInt64, writeInteger } from './json-number.ts'
import { FALSE, NULL, TRUE, writeAscii, writeByte, writeRaw, writeString } from './json-text.ts'
import { KeyWriter } from './key-writer.ts'
import { ATTRIBUTES_MAX, VALUE_BYTES_MAX, VALUE_DEPTH_MAX } from './limits.ts'
import { OrdinaryPair } from './ordinary-pair.ts'
import { BYTES, type MessageShape, tagOf, type WireReader } from './wire-reader.ts'

const KEY_VALUE: MessageShape = { name: 'KeyValue', fields: { 1: 'key', 2: 'value' } }
const KEY = tagOf(1, BYTES)
const VALUE = tagOf(2, BYTES)

const ARRAY: MessageShape = { name: 'ArrayValue', fields: { 1: 'values' } }
const KVLIST: MessageShape = { name: 'KeyValueList', fields: { 1: 'values' } }
const VALUES = tagOf(1, BYTES)

const COMMA = 0x2c

/** Outlives requests, which have most of their keys in common. */
const KEYS = new KeyWriter()

/** Writes attributes, as they come from the wire, as JSON text straight into a column. Only the one made last may be used. */
export class AttributeWriter {
  /** How many attributes were cut or left out; whoever reads it sets it back. */
  dropped = 0
  /** Of the outermost key written last; 0 where that attribute was left out. */
  keyHash = 0
  /** Where the outermost value began. */
  valueStart = 0
  private reader: WireReader
  private readonly keys = KEYS
  private readonly ordinary = new OrdinaryPair()
  private cut = false

  constructor(reader: WireReader) {
    this.reader = reader
    this.keys.begin()
  }

  /** Begins an object whose attributes are still to come; the answer is for `close`. */
  open(): number {
    return this.keys.open()
  }

  /** Ends the object. Nothing is written for one without attributes; false is the answer then. */
  close(column: TextColumn, outer: number): boolean {
    const any = this.keys.count > 0
    if (any) writeByte(column, 0x7d)
    this.keys.close(outer)
    return any
  }

  /** Reads a KeyValue, length and all, and adds it to the object. */
  add(column: TextColumn): void {
    this.cut = false
    this.pair(column, 1)
    if (this.cut) this.dropped++
  }

  /** Writes the AnyValue from the reader's `pos` to its `end`; true where something of it was cut or left out. */
  value(column: TextColumn, reader: WireReader): boolean {
    const own = this.reader
    this.reader = reader
    this.cut = false
    this.valueStart = column.byteLength
    this.any(column, reader.pos, reader.end, 1)
    this.reader = own
    return this.cut
  }

  private pair(column: TextColumn, depth: number): void {
    if (depth <= VALUE_DEPTH_MAX && this.ordinary.read(this.reader)) this.ordinaryPair(column, depth)
    else this.anyPair(column, depth)
  }

  private ordinaryPair(column: TextColumn, depth: number): void {
    const { keyStart, keyEnd, tag, valueStart, number, end } = this.ordinary
    if (this.key(column, keyStart, keyEnd, depth)) {
      if (tag === STRING_VALUE) this.string(column, valueStart, end, depth)
      else if (tag === INT_VALUE) writeInteger(column, number)
      else writeRaw(column, number === 0 ? FALSE : TRUE)
    }
    this.reader.pos = end
  }

  private anyPair(column: TextColumn, depth: number): void {
    const reader = this.reader
    const outer = reader.enter()
    const end = reader.end
    const start = reader.pos
    let keyStart = 0
    let keyEnd = 0
    let valueStart = 0
    let valueEnd = 0
    let parts = 0
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === KEY) {
        keyEnd = reader.fieldEnd()
        keyStart = reader.pos
        reader.pos = keyEnd
      } else if (tag === VALUE) {
        valueEnd = reader.fieldEnd()
        valueStart = reader.pos
        reader.pos = valueEnd
        parts++
      } else reader.skip(tag, KEY_VALUE)
    }
    if (this.key(column, keyStart, keyEnd, depth)) {
      if (parts > 1) this.joinedAny(column, start, depth)
      else this.any(column, valueStart, valueEnd, depth)
    }
    reader.pos = end
    reader.end = outer
  }

  /** Writes the key and its colon; false where the attribute has to be left out. */
  private key(column: TextColumn, start: number, end: number, depth: number): boolean {
    const { keys } = this
    if (depth === 1) this.keyHash = 0
    if (keys.count >= ATTRIBUTES_MAX || (depth > 1 && this.roomFor(column) === 0)) {
      this.cut = true
      return false
    }
    const isNew = keys.write(column, this.reader, start, end)
    if (keys.isCut || !isNew) this.cut = true
    if (depth > 1) return isNew
    if (isNew) this.keyHash = keys.hash
    this.valueStart = column.byteLength
    return isNew
  }

  /** Leaves the reader anywhere. */
  private any(column: TextColumn, start: number, end: number, depth: number): void {
    const reader = this.reader
    if (depth > VALUE_DEPTH_MAX || start === end) {
      if (start !== end) this.cut = true
      writeRaw(column, NULL)
      return
    }
    reader.pos = start
    reader.end = end
    const tag = reader.tag()
    const at = reader.pos
    if (isValueTag(tag)) reader.skipField(tag)
    if (reader.pos === end && at !== end) {
      reader.pos = at
      this.typed(column, tag, depth)
    } else {
      reader.pos = start
      this.last(column, depth)
    }
  }

  /** Writes the last of several values, if there is any. */
  private last(column: TextColumn, depth: number): void {
    const reader = this.reader
    const { tag, start, parts } = findValue(reader)
    if (parts > 1) {
      this.reader = joined(reader, start, tag)
      this.list(column, tag, depth)
      this.reader = reader
    } else if (parts === 1) {
      reader.pos = start
      this.typed(column, reader.tag(), depth)
    } else writeRaw(column, NULL)
  }

  private joinedAny(column: TextColumn, start: number, depth: number): void {
    const reader = this.reader
    this.reader = joined(reader, start, VALUE)
    this.any(column, 0, this.reader.end, depth)
    this.reader = reader
  }

  /** Writes the value that stands behind this tag. */
  private typed(column: TextColumn, tag: number, depth: number): void {
    const reader = this.reader
    if (tag === STRING_VALUE) {
      const end = reader.fieldEnd()
      this.string(column, reader.pos, end, depth)
    } else if (tag === INT_VALUE) {
      reader.varint()
      writeInt64(column, reader.hi, reader.lo)
    } else if (tag === BOOL_VALUE) {
      writeRaw(column, reader.bool() ? TRUE : FALSE)
    } else if (tag === DOUBLE_VALUE) {
      writeDouble(column, reader.double())
    } else if (tag === BYTES_VALUE) {
      const end = reader.fieldEnd()
      this.base64(column, reader.pos, end, depth)
    } else {
      reader.enter()
      this.list(column, tag, depth)
    }
  }

  private list(column: TextColumn, tag: number, depth: number): void {
    if (tag === ARRAY_VALUE) this.array(column, depth)
    else this.object(column, depth)
  }

  private string(column: TextColumn, start: number, end: number, depth: number): void {
    const bytesMax = depth === 1 ? VALUE_BYTES_MAX : this.roomFor(column)
    if (writeString(column, this.reader, start, end, bytesMax)) this.cut = true
  }

  private base64(column: TextColumn, start: number, end: number, depth: number): void {
    const bytesMax = Math.floor((depth === 1 ? VALUE_BYTES_MAX : this.roomFor(column)) / 4) * 3
    if (end - start > bytesMax) this.cut = true
    const { buffer, byteOffset } = this.reader.bytes
    const bytes = Buffer.from(buffer, byteOffset + start, Math.min(end - start, bytesMax))
    writeAscii(column, `"${bytes.toString('base64')}"`)
  }

  /** Writes the ArrayValue from `pos` to `end`. */
  private array(column: TextColumn, depth: number): void {
    const reader = this.reader
    const end = reader.end
    let first = true
    writeByte(column, 0x5b)
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag !== VALUES) {
        reader.skip(tag, ARRAY)
        continue
      }
      const stop = reader.fieldEnd()
      if (this.roomFor(column) === 0) {
        this.cut = true
        break
      }
      if (!first) writeByte(column, COMMA)
      first = false
      this.any(column, reader.pos, stop, depth + 1)
      reader.pos = stop
      reader.end = end
    }
    writeByte(column, 0x5d)
  }

  /** Writes the KeyValueList from `pos` to `end`. */
  private object(column: TextColumn, depth: number): void {
    const reader = this.reader
    const outer = this.open()
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === VALUES) this.pair(column, depth + 1)
      else reader.skip(tag, KVLIST)
    }
    if (!this.close(column, outer)) writeAscii(column, '{}')
  }

  /** How many more bytes the outermost value may have. */
  private roomFor(column: TextColumn): number {
    return Math.max(0, VALUE_BYTES_MAX - (column.byteLength - this.valueStart))
  }
}
