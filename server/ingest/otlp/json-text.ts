import type { TextColumn } from '../../domain/columns/text-column.ts'
import { copyPlain } from './copy-plain.ts'
import { reserve } from './reserve.ts'
import { cutAt, isValid, repaired } from './utf8.ts'
import type { WireReader } from './wire-reader.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const LOWER_U = 0x75
const ZERO = 0x30
const HEX = Buffer.from('0123456789abcdef')

/** What a byte needs inside a JSON string: 0 nothing, `u` a \u escape, another character its short escape. */
const ESCAPES = new Uint8Array(256)
ESCAPES.fill(LOWER_U, 0, 0x20)
for (const [char, code] of ['\bb', '\tt', '\nn', '\ff', '\rr', '""', '\\\\']) {
  ESCAPES[(char as string).charCodeAt(0)] = (code as string).charCodeAt(0)
}

export const NULL = Buffer.from('null')
export const TRUE = Buffer.from('true')
export const FALSE = Buffer.from('false')

export function writeByte(column: TextColumn, byte: number): void {
  if (column.byteLength === column.bytes.length) reserve(column, 1)
  column.bytes[column.byteLength++] = byte
}

/** Writes bytes that are JSON already. */
export function writeRaw(column: TextColumn, raw: Uint8Array): void {
  reserve(column, raw.length)
  const target = column.bytes
  let at = column.byteLength
  for (let i = 0; i < raw.length; i++) target[at++] = raw[i] as number
  column.byteLength = at
}

export function writeAscii(column: TextColumn, text: string): void {
  reserve(column, text.length)
  const target = column.bytes
  let at = column.byteLength
  for (let i = 0; i < text.length; i++) target[at++] = text.charCodeAt(i)
  column.byteLength = at
}

/** What text of `count` bytes takes as a JSON string at most. */
export function escapedBytesMax(count: number): number {
  return count * 6 + 2
}

/** Writes text as a JSON string with its quotes. True where it had more than `bytesMax` bytes and has been cut. */
export function writeString(
  column: TextColumn,
  reader: WireReader,
  start: number,
  end: number,
  bytesMax: number,
): boolean {
  const stop = end - start > bytesMax ? cutAt(reader.bytes, start, bytesMax) : end
  reserve(column, escapedBytesMax(stop - start))
  const at = column.byteLength
  column.bytes[at] = QUOTE
  const plainEnd = copyPlain(reader.view, start, stop, column.view, at + 1)
  column.byteLength = at + 1 + plainEnd - start
  const cut = plainEnd < stop && writeRest(column, reader, plainEnd, stop, bytesMax - (plainEnd - start))
  column.bytes[column.byteLength++] = QUOTE
  return cut || stop < end
}

/** Writes text from its first byte that is not plain; room for six bytes a byte has been made. */
function writeRest(column: TextColumn, reader: WireReader, start: number, end: number, bytesMax: number): boolean {
  const asciiEnd = writeEscaped(column, reader.view, start, end, 0x80)
  if (asciiEnd === end) return false
  if (isValid(reader.bytes, asciiEnd, end)) {
    writeEscaped(column, reader.view, asciiEnd, end, 0x100)
    return false
  }
  const text = repaired(reader.bytes, asciiEnd, end)
  const room = bytesMax - (asciiEnd - start)
  const stop = text.length > room ? cutAt(text, 0, room) : text.length
  writeEscaped(column, new DataView(text.buffer, text.byteOffset, text.byteLength), 0, stop, 0x100)
  return stop < text.length
}

/** Writes up to the first byte that is not below `limit`; the answer is where it stands. */
function writeEscaped(column: TextColumn, source: DataView, start: number, end: number, limit: number): number {
  const target = column.bytes
  let at = column.byteLength
  let i = start
  while (i < end) {
    const byte = source.getUint8(i)
    if (byte >= limit) break
    i++
    const code = ESCAPES[byte] as number
    if (code === 0) {
      target[at++] = byte
      continue
    }
    target[at++] = BACKSLASH
    target[at++] = code
    if (code === LOWER_U) {
      target[at++] = ZERO
      target[at++] = ZERO
      target[at++] = HEX[byte >>> 4] as number
      target[at++] = HEX[byte & 15] as number
    }
    const plainEnd = copyPlain(source, i, end, column.view, at)
    at += plainEnd - i
    i = plainEnd
  }
  column.byteLength = at
  return i
}

/** Writes bytes as a JSON string of hex digits. */
export function writeHex(column: TextColumn, source: Uint8Array, start: number, end: number): void {
  reserve(column, (end - start) * 2 + 2)
  const target = column.bytes
  let at = column.byteLength
  target[at++] = QUOTE
  for (let i = start; i < end; i++) {
    const byte = source[i] as number
    target[at++] = HEX[byte >>> 4] as number
    target[at++] = HEX[byte & 15] as number
  }
  target[at++] = QUOTE
  column.byteLength = at
}
