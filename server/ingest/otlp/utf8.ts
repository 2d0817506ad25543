import { isUtf8 } from 'node:buffer'

/** Where text from `start` that may have `bytesMax` bytes has to end so that no character is torn. */
export function cutAt(bytes: Uint8Array, start: number, bytesMax: number): number {
  const limit = start + bytesMax
  let end = limit
  while (end > start && limit - end < 4 && ((bytes[end] as number) & 0xc0) === 0x80) end--
  // Four continuation bytes in a row belong to no character: there is nothing to tear.
  return limit - end < 4 ? end : limit
}

export function isValid(bytes: Uint8Array, start: number, end: number): boolean {
  return isUtf8(bytes.subarray(start, end))
}

/** The same text with every invalid sequence replaced by U+FFFD. */
export function repaired(bytes: Uint8Array, start: number, end: number): Uint8Array {
  return utf8Of(stringOf(bytes, start, end))
}

export function stringOf(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8')
}

export function utf8Of(text: string): Uint8Array {
  return encoder.encode(text)
}

const encoder = new TextEncoder()
