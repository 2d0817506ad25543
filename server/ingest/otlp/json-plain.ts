/** Plain is what may be copied into a JSON string as it is, whatever stands beside it: ASCII that needs no escape. */

const [SPACE, QUOTE, BACKSLASH, BEYOND_ASCII] = [0x20, 0x22, 0x5c, 0x80]

/** Copies up to the first byte that is not plain; the answer is where it stands. */
export function copyPlain(source: DataView, start: number, end: number, target: DataView, at: number): number {
  const shift = at - start
  const last = end - 4
  let i = start
  if (last >= start) {
    for (; i < last; i += 4) {
      const word = source.getInt32(i, true)
      if (hasUnplain(word)) break
      target.setInt32(i + shift, word, true)
    }
    // The last word may overlap with the one before.
    const word = source.getInt32(last, true)
    if (i >= last && !hasUnplain(word)) {
      target.setInt32(last + shift, word, true)
      return end
    }
  }
  for (; i < end; i++) {
    const byte = source.getUint8(i)
    if (!isPlainByte(byte)) break
    target.setUint8(i + shift, byte)
  }
  return i
}

export function isPlain(source: DataView, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (!isPlainByte(source.getUint8(i))) return false
  return true
}

function isPlainByte(byte: number): boolean {
  return byte >= SPACE && byte < BEYOND_ASCII && byte !== QUOTE && byte !== BACKSLASH
}

/** True where one of four bytes is not plain: each way of being so sets the highest bit of the lowest such byte. */
function hasUnplain(word: number): boolean {
  const belowSpace = word - 0x20202020
  const quote = (word ^ 0x22222222) - 0x01010101
  const backslash = (word ^ 0x5c5c5c5c) - 0x01010101
  return ((word | belowSpace | quote | backslash) & 0x80808080) !== 0
}
