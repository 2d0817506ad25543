import type { TextColumn } from '../../domain/columns/text-column.ts'
import { reserve } from './reserve.ts'
import { cutAt, isValid, repaired } from './utf8.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const HEX = Buffer.from('0123456789abcdef')

/** What a byte needs inside a JSON string: 0 nothing, `u` a \u escape, another character its short escape. */
const ESCAPES = new Uint8Array(256)
ESCAPES.fill('u'.charCodeAt(0), 0, 0x20)
for (const [char, code] of ['\bb', '\tt', '\nn', '\ff', '\rr', '""', '\\\\']) {
  ESCAPES[(char as string).charCodeAt(0)] = (code as string).charCodeAt(0)
}

/** 1 for a byte that may be copied into a JSON string as it is, whatever stands beside it. */
const PLAIN = Uint8Array.from(ESCAPES, (code, byte) => (code === 0 && byte < 0x80 ? 1 : 0))

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

/** Writes text as a JSON string with its quotes. True where it had more than `bytesMax` bytes and has been cut. */
export function writeString(
  column: TextColumn,
  source: Uint8Array,
  start: number,
  end: number,
  bytesMax: number,
): boolean {
  const stop = end - start > bytesMax ? cutAt(source, start, bytesMax) : end
  reserve(column, (stop - start) * 6 + 2)
  const target = column.bytes
  let at = column.byteLength
  target[at++] = QUOTE
  let i = start
  for (; i < stop; i++) {
    const byte = source[i] as number
    if (PLAIN[byte] === 0) break
    target[at++] = byte
  }
  column.byteLength = at
  const cut = i < stop && writeRest(column, source, i, stop, bytesMax - (i - start))
  target[column.byteLength++] = QUOTE
  return cut || stop < end
}

/** Writes what is not plain ASCII; room for six bytes a byte has been made. */
function writeRest(column: TextColumn, source: Uint8Array, start: number, end: number, bytesMax: number): boolean {
  if (isValid(source, start, end)) {
    writeEscaped(column, source, start, end)
    return false
  }
  const text = repaired(source, start, end)
  const stop = text.length > bytesMax ? cutAt(text, 0, bytesMax) : text.length
  writeEscaped(column, text, 0, stop)
  return stop < text.length
}

function writeEscaped(column: TextColumn, source: Uint8Array, start: number, end: number): void {
  const target = column.bytes
  let at = column.byteLength
  for (let i = start; i < end; i++) {
    const byte = source[i] as number
    const code = ESCAPES[byte] as number
    if (code === 0) {
      target[at++] = byte
      continue
    }
    target[at++] = BACKSLASH
    target[at++] = code
    if (code !== 0x75) continue
    target[at++] = 0x30
    target[at++] = 0x30
    target[at++] = HEX[byte >>> 4] as number
    target[at++] = HEX[byte & 15] as number
  }
  column.byteLength = at
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
