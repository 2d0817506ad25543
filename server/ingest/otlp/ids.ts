import type { WireReader } from './wire-reader.ts'

/** Reads an id of `length` words into `target`. False where it is of another length or all zero; then it is zero there. */
export function readId(reader: WireReader, target: Int32Array, at: number, length: number): boolean {
  const end = reader.fieldEnd()
  const start = reader.pos
  reader.pos = end
  if (end - start !== length * 4) {
    target.fill(0, at, at + length)
    return false
  }
  const { view } = reader
  let any = 0
  for (let i = 0; i < length; i++) {
    const word = view.getInt32(start + i * 4, true)
    target[at + i] = word
    any |= word
  }
  return any !== 0
}
