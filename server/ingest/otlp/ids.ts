import type { WireReader } from './wire-reader.ts'

/** Reads an id of `length` bytes into `target`. False where it is of another length or all zero; then it is zero there. */
export function readId(reader: WireReader, target: Uint8Array, at: number, length: number): boolean {
  const end = reader.fieldEnd()
  const start = reader.pos
  reader.pos = end
  if (end - start !== length) {
    target.fill(0, at, at + length)
    return false
  }
  const { bytes } = reader
  let any = 0
  for (let i = 0; i < length; i++) {
    const byte = bytes[start + i] as number
    target[at + i] = byte
    any |= byte
  }
  return any !== 0
}
