import type { TextColumn } from '../../domain/columns/text-column.ts'
import { escapedBytesMax, writeByte, writeString } from './json-text.ts'
import { hashOfKey } from './key-hash.ts'
import { KEY_BYTES_MAX, KnownKeys, UNKNOWN } from './known-keys.ts'
import { VALUE_BYTES_MAX } from './limits.ts'
import { ObjectKeys } from './object-keys.ts'
import { reserve } from './reserve.ts'
import type { WireReader } from './wire-reader.ts'

const BRACE = 0x7b
const COMMA = 0x2c
const COLON = 0x3a
const [BRACE_QUOTE, COMMA_QUOTE, QUOTE_COLON] = [0x7b22, 0x2c22, 0x223a]

/** Writes the keys of JSON objects, each with what stands before and behind it, and none twice in an object. */
export class KeyWriter {
  /** Of the key that was written last, as `hashOfKey` has it. */
  hash = 0
  /** Whether it was too long and has been cut. */
  isCut = false
  private readonly known: KnownKeys
  private readonly keys: ObjectKeys

  constructor(known = new KnownKeys()) {
    this.known = known
    this.keys = new ObjectKeys(known.keysMax)
  }

  /** Forgets all objects, as before a request. */
  begin(): void {
    this.known.begin()
    this.keys.clear()
  }

  /** How many keys the innermost object has. */
  get count(): number {
    return this.keys.count
  }

  /** Begins an object inside the present one; the answer is for `close`. */
  open(): number {
    return this.keys.open()
  }

  close(outer: number): void {
    this.keys.close(outer)
  }

  /** Writes the key that lies from `start` to `end`; false, and nothing written, where the object has it already. */
  write(column: TextColumn, reader: WireReader, start: number, end: number): boolean {
    if (end - start > KEY_BYTES_MAX) return this.writeUnknown(column, reader, start, end)
    reserve(column, 1 + escapedBytesMax(end - start))
    const at = column.byteLength
    const id = this.known.copy(reader.view, start, end, column.view, at + 2)
    if (id === UNKNOWN) return this.writeUnknown(column, reader, start, end)
    const { keys } = this
    const isFirst = keys.count === 0
    this.isCut = false
    if (!keys.addKnown(id)) return false
    const textEnd = at + 2 + end - start
    column.view.setInt16(at, isFirst ? BRACE_QUOTE : COMMA_QUOTE)
    column.view.setInt16(textEnd, QUOTE_COLON)
    column.byteLength = textEnd + 2
    this.hash = this.known.hashOf(id)
    return true
  }

  private writeUnknown(column: TextColumn, reader: WireReader, start: number, end: number): boolean {
    const { keys } = this
    const before = column.byteLength
    writeByte(column, keys.count === 0 ? BRACE : COMMA)
    this.isCut = writeString(column, reader, start, end, VALUE_BYTES_MAX)
    const textStart = before + 2
    const textEnd = column.byteLength - 1
    const isNew = keys.add(column, textStart, textEnd)
    if (isNew) {
      writeByte(column, COLON)
      this.hash = hashOfKey(column.bytes, textStart, textEnd)
    } else column.byteLength = before
    return isNew
  }
}
