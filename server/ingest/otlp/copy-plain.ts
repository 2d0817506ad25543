const [SPACE, QUOTE, BACKSLASH, BEYOND_ASCII] = [0x20, 0x22, 0x5c, 0x80]

/**
 * Copies up to the first byte that is not plain; the answer is where that stands. Plain is what may be copied into a JSON
 * string as it is, whatever stands beside it: ASCII that needs no escape.
 */
export function copyPlain(source: DataView, start: number, end: number, target: DataView, at: number): number {
  const shift = at - start
  const last = end - 4
  let i = start
  if (last >= start) {
    for (; i < last; i += 4) {
      const word = source.getInt32(i, true)
      if (!isPlainWord(word)) break
      target.setInt32(i + shift, word, true)
    }
    // The last four may overlap with those before.
    const word = source.getInt32(last, true)
    if (i >= last && isPlainWord(word)) {
      target.setInt32(last + shift, word, true)
      return end
    }
  }
  for (; i < end; i++) {
    const byte = source.getUint8(i)
    if (byte < SPACE || byte >= BEYOND_ASCII || byte === QUOTE || byte === BACKSLASH) break
    target.setUint8(i + shift, byte)
  }
  return i
}

/** Asks four bytes at once: of those that are not plain, the lowest sets its highest bit in one of these numbers. */
function isPlainWord(word: number): boolean {
  const belowSpace = word - 0x20202020
  const quote = (word ^ 0x22222222) - 0x01010101
  const backslash = (word ^ 0x5c5c5c5c) - 0x01010101
  return ((word | belowSpace | quote | backslash) & 0x80808080) === 0
}
