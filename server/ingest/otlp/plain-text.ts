import type { TextColumn } from '../../domain/columns/text-column.ts'
import { copyPlain } from './copy-plain.ts'
import { VALUE_BYTES_MAX } from './limits.ts'
import { reserve } from './reserve.ts'
import { cutAt, isValid, stringOf, utf8Of } from './utf8.ts'
import type { WireReader } from './wire-reader.ts'

/** Adds a row of plain text. True where the text was too long and has been cut. */
export function pushText(column: TextColumn, reader: WireReader, start: number, end: number): boolean {
  const source = reader.bytes
  const stop = end - start > VALUE_BYTES_MAX ? cutAt(source, start, VALUE_BYTES_MAX) : end
  reserve(column, stop - start)
  const target = column.bytes
  const shift = column.byteLength - start
  for (let i = copyPlain(reader.view, start, stop, column.view, column.byteLength); i < stop; i++) {
    const byte = source[i] as number
    if (byte === 0 || byte >= 0x80) return pushUnusual(column, source, start, stop) || stop < end
    target[i + shift] = byte
  }
  column.byteLength += stop - start
  column.endRow()
  return stop < end
}

function pushUnusual(column: TextColumn, source: Uint8Array, start: number, end: number): boolean {
  if (!source.subarray(start, end).includes(0) && isValid(source, start, end)) {
    column.pushBytes(source, start, end)
    return false
  }
  const text = utf8Of(plainOf(stringOf(source, start, end)))
  const stop = text.length > VALUE_BYTES_MAX ? cutAt(text, 0, VALUE_BYTES_MAX) : text.length
  reserve(column, stop)
  column.pushBytes(text, 0, stop)
  return stop < text.length
}

/** Text as a database takes it, which has no place for U+0000. */
export function plainOf(text: string): string {
  return text.replaceAll('\0', '\ufffd')
}
